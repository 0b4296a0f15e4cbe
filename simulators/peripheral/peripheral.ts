import type { HciSocket } from '../../src/ble/hci/socket.js';

/** ATT error code of an answer to a write or read; 0 is success (Core 5.4 Vol 3 Part F 3.4.1.1). */
export type AttStatus = number;

/** One characteristic of a peripheral's one service. UUIDs lower case without dashes. */
export interface PeripheralCharacteristic {
  readonly uuid: string;
  readonly properties: readonly ('read' | 'write' | 'writeWithoutResponse' | 'notify')[];
  readonly onWrite?: (value: Buffer) => AttStatus;
  readonly onRead?: () => Buffer;
  /** The central enabled notifications; `notify` works until `onUnsubscribe` and must not be called after it. */
  readonly onSubscribe?: (notify: (value: Buffer) => void) => void;
  /** Notifications disabled, or the link ended. */
  readonly onUnsubscribe?: () => void;
}

export interface PeripheralOptions {
  /** The controller's socket, from `air.attach`. */
  readonly socket: HciSocket;
  /** The GAP device name (0x2A00). */
  readonly name: string;
  readonly services: readonly { readonly uuid: string; readonly characteristics: readonly PeripheralCharacteristic[] }[];
  readonly onConnect?: (central: string) => void;
  readonly onDisconnect?: () => void;
}

/** A GATT server run by bleno on a controller of its own. */
export interface Peripheral {
  readonly connected: boolean;
  /**
   * Advertises (connectable, scannable) from now on, again after each link.
   * Both payloads are AD structures of at most 31 bytes (`src/ble/hci/advertising-data.ts` writes them).
   */
  advertise(advertisement: Buffer, scanResponse: Buffer): void;
  stopAdvertising(): void;
  /** Ends the link from the device's side (reason 0x13), if there is one. */
  disconnect(): void;
  /** Releases everything; the peripheral is gone. */
  close(): void;
}

export declare const createPeripheral: (options: PeripheralOptions) => Promise<Peripheral>;
