/** The parts of noble that are used: its public interface, and names that begin with an underscore. */
import type { EventEmitter } from 'node:events';

export interface NobleAdvertisement {
  readonly localName?: string;
  readonly serviceUuids?: readonly string[];
  readonly manufacturerData?: Buffer;
  readonly serviceData?: readonly { readonly uuid: string; readonly data: Buffer }[];
}

export interface NoblePeripheral extends EventEmitter {
  readonly _noble: { readonly _bindings: Pick<Bindings, '_gatts' | '_handles' | '_hci'> };
  readonly id: string;
  readonly address: string;
  readonly connectable: boolean;
  readonly rssi: number;
  readonly advertisement: NobleAdvertisement;
  /** The ATT_MTU of the last link. */
  readonly mtu: number | null;
  connect(parameters: { timeout: number }): void;
  disconnect(): void;
  updateRssi(): void;
}

export interface Hci extends EventEmitter {
  _aclQueue: { readonly handle: number; readonly packet: Buffer }[];
  readonly _aclConnections: ReadonlyMap<number, unknown>;
  _isExtended: boolean;
  pollIsDevUp: () => void;
  onSocketData: (packet: Buffer) => void;
  flushAcl: () => Promise<void>;
  processCmdCompleteEvent: (opcode: number, status: number, result: Buffer) => void;
  readSupportedCommands(): void;
  setSocketFilter(): void;
  setEventMask(): void;
  setLeEventMask(): void;
  /** Times in milliseconds; noble divides them by the units of the Core. */
  connUpdateLe(
    handle: number,
    minInterval: number,
    maxInterval: number,
    latency: number,
    timeout: number,
  ): void;
  readLocalVersion(): void;
  writeLeHostSupported(): void;
  readLeHostSupported(): void;
  readLeBufferSize(): void;
  readBdAddr(): void;
}

/** ATT on one link. */
export interface Gatt {
  /** Unless it is `medium`, noble pairs when a device requests security. */
  _security: string;
  /** `mtu` is emitted once, when noble's own request is answered. */
  once(event: 'mtu', listener: () => void): unknown;
  /** A request calls `answered` with its response, a command calls `sent`. */
  _queueCommand(pdu: Buffer, answered: ((response: Buffer) => void) | null, sent?: () => void): void;
}

export interface Bindings extends EventEmitter {
  readonly _hci: Hci;
  /** Keys: both the handle of a connection and the id of its peripheral. */
  readonly _gatts: Readonly<Record<string, Gatt | undefined>>;
  /** The id of the peripheral of each connection, and the other way round. */
  readonly _handles: Readonly<Record<string, string | number>>;
  readonly _gap: { readonly _discoveries: Record<string, unknown> };
  readonly _addresses: Record<string, unknown>;
  readonly _addresseTypes: Record<string, unknown>;
  readonly _connectable: Record<string, unknown>;
  readonly scannable: Record<string, unknown>;
  readonly onSigIntBinded: () => void;
  cancelConnect(id: string): void;
}

export interface Noble extends EventEmitter {
  /** Reading it starts noble: at once, or a tick later if there is a listener for `stateChange`. */
  readonly state: string;
  readonly _bindings: Bindings;
  readonly _peripherals: Record<string, NoblePeripheral>;
  readonly _services: Record<string, unknown>;
  readonly _characteristics: Record<string, unknown>;
  readonly _descriptors: Record<string, unknown>;
  readonly _discoveredPeripheralUUids: Record<string, unknown>;
  startScanning(services: readonly string[], allowDuplicates: boolean): void;
  stopScanning(): void;
}
