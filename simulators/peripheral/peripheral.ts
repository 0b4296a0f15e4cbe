import { AttError } from '../../src/ble/hci/att.js';
import { attempt, isolated } from '../../src/async/defects.js';
import { initialise, loadBleno, notifierOf, setServices, type Bleno } from './bleno.js';
import {
  MAX_ADVERTISING_DATA,
  advertisedLength,
  completeName,
  completeUuids,
  encodeAdvertisingData,
  generalDiscoverable,
} from '../ble/advertising-data.js';
import type { HciSocket } from '../../src/ble/hci/socket.js';

/** The ATT error code of an answer to a write or a read; 0: success (Core 5.4 Vol 3 Part F 3.4.1.1). */
export type AttStatus = number;

/** A characteristic of a peripheral's service. UUIDs: lower case without dashes. */
export interface PeripheralCharacteristic {
  readonly uuid: string;
  readonly properties: readonly ('read' | 'write' | 'writeWithoutResponse' | 'notify')[];
  readonly onWrite?: (value: Buffer) => AttStatus;
  /** Called after the response to a write that succeeded: notifications from here follow it. */
  readonly onWritten?: (value: Buffer) => void;
  readonly onRead?: () => Buffer;
  /**
   * Called when the central enables notifications; `notify` works until `onUnsubscribe` and must not be called after it.
   * A value is cut to ATT_MTU - 3 bytes (Core 5.4 Vol 3 Part F 3.4.7.1).
   */
  readonly onSubscribe?: (notify: (value: Buffer) => void) => void;
  /** Called when notifications are disabled, or the link has ended. */
  readonly onUnsubscribe?: () => void;
}

export interface PeripheralOptions {
  /** The controller's socket, which does the flow control of data. */
  readonly socket: HciSocket;
  /** The GAP device name (0x2A00); empty for none. */
  readonly name: string;
  /**
   * UUIDs of services to advertise from the start, after the flags and before the name, which is in the scan response
   * if it does not fit. Left out, nothing is advertised until `advertise`.
   */
  readonly advertises?: readonly string[];
  /** The advertising interval, ms, 20 to 10,240; 100 if left out. */
  readonly intervalMs?: number;
  readonly services: readonly {
    readonly uuid: string;
    readonly characteristics: readonly PeripheralCharacteristic[];
  }[];
  readonly onConnect?: (central: string) => void;
  /** Called when the link has ended, after `onUnsubscribe` of each subscription. */
  readonly onDisconnect?: () => void;
  /** Called when `connected` or `advertising` has changed. */
  readonly changed?: () => void;
}

/** A GATT server run by bleno on its own controller. */
export interface Peripheral {
  /** Resolves when the controller is ready; earlier calls take effect then. */
  readonly ready: Promise<void>;
  readonly name: string;
  readonly connected: boolean;
  /** Whether it is on the air for all hosts; false while connected. */
  readonly advertising: boolean;
  /** The ATT_MTU of the current or last link. */
  readonly mtu: number;
  /** Sets the GAP device name from the next link on; advertising data do not change. */
  rename(name: string): void;
  /** Sets the largest ATT_MTU of further links, 23 to 256. */
  limitMtu(mtu: number): void;
  /**
   * Advertises (connectable, scannable) from now on, again after each link; replaces data that are advertised already.
   * Both payloads are AD structures (`src/ble/hci/advertising-data.ts` writes them).
   * @throws RangeError if either is over 31 bytes.
   */
  advertise(advertisement: Buffer, scanResponse: Buffer): void;
  stopAdvertising(): void;
  /** Ends the link from the device's side (reason 0x13), unless it is ending already. */
  disconnect(): void;
  /** Releases the socket; the peripheral is gone. */
  close(): void;
}

type Payload = readonly [advertisement: Buffer, scanResponse: Buffer];

/** The advertisement of most devices. */
const usualPayload = (name: string, uuids: readonly string[]): Payload => {
  const services = [generalDiscoverable, ...completeUuids(uuids)];
  const named = name === '' ? [] : [completeName(name)];
  const fits = advertisedLength([...services, ...named]) <= MAX_ADVERTISING_DATA;
  return [
    encodeAdvertisingData(fits ? [...services, ...named] : services),
    encodeAdvertisingData(fits ? [] : named),
  ];
};

class BlenoPeripheral implements Peripheral {
  readonly ready: Promise<void>;
  private readonly bleno: Bleno;
  private currentName: string;
  private payload: Payload | undefined;
  /** The data that the controller advertises now. */
  private onAir: Payload | undefined;
  private powered = false;
  private isConnected = false;
  private leaving = false;

  constructor(private readonly options: PeripheralOptions) {
    const { name, socket, advertises, intervalMs = 100 } = options;
    this.currentName = name;
    this.payload = advertises && usualPayload(name, advertises);
    this.bleno = loadBleno(socket, intervalMs);
    this.bleno.on(
      'accept',
      isolated((central: string) => this.accepted(central)),
    );
    this.bleno.on(
      'disconnect',
      isolated(() => this.disconnected()),
    );
    this.ready = new Promise<void>((resolve) => {
      initialise(this.bleno, (state) => {
        this.powered = state === 'poweredOn';
        this.onAir = undefined;
        if (!this.powered) return;
        this.offerServices();
        this.updateAdvertising();
        resolve();
      });
    });
  }

  get name(): string {
    return this.currentName;
  }

  get connected(): boolean {
    return this.isConnected;
  }

  get advertising(): boolean {
    return this.payload !== undefined && !this.isConnected;
  }

  get mtu(): number {
    return this.bleno._bindings._gatt._mtu;
  }

  rename(name: string): void {
    if (name === this.currentName) return;
    this.currentName = name;
    if (this.powered) this.offerServices();
    this.options.changed?.();
  }

  limitMtu(mtu: number): void {
    this.bleno._bindings._gatt.maxMtu = mtu;
  }

  advertise(...payload: Payload): void {
    // bleno would neither advertise nor report the error.
    if (payload.some(({ length }) => length > MAX_ADVERTISING_DATA)) {
      throw new RangeError(`advertising data must be at most ${MAX_ADVERTISING_DATA} bytes`);
    }
    const isNew = this.payload === undefined;
    this.payload = payload;
    this.updateAdvertising();
    if (isNew) this.options.changed?.();
  }

  stopAdvertising(): void {
    if (this.payload === undefined) return;
    this.payload = undefined;
    this.onAir = undefined;
    this.bleno.stopAdvertising();
    this.options.changed?.();
  }

  disconnect(): void {
    if (!this.isConnected || this.leaving) return;
    this.leaving = true;
    this.bleno.disconnect();
  }

  close(): void {
    const { socket } = this.options;
    this.bleno.removeAllListeners();
    socket.removeAllListeners();
    socket.stop();
  }

  private offerServices(): void {
    const { bleno, currentName } = this;
    setServices(
      bleno,
      currentName,
      this.options.services.map((service) => primaryService(bleno, service)),
    );
  }

  private updateAdvertising(): void {
    const { bleno, payload, onAir } = this;
    if (payload === undefined || !this.powered || this.isConnected) return;
    const [advertisement, scanResponse] = payload;
    if (onAir === undefined) bleno.startAdvertisingWithEIRData(advertisement, scanResponse);
    else {
      const { _hci: hci } = bleno._bindings;
      if (!onAir[0].equals(advertisement)) hci.setAdvertisingData(advertisement);
      if (!onAir[1].equals(scanResponse)) hci.setScanResponseData(scanResponse);
    }
    this.onAir = payload;
  }

  private accepted(central: string): void {
    this.isConnected = true;
    this.onAir = undefined;
    this.options.onConnect?.(central);
    this.options.changed?.();
  }

  private disconnected(): void {
    this.isConnected = false;
    this.leaving = false;
    // bleno would continue with the payload from before the link.
    this.updateAdvertising();
    this.options.onDisconnect?.();
    this.options.changed?.();
  }
}

/** @throws RangeError if `name` or `advertises` do not fit a packet of 31 bytes. */
export const createPeripheral = (options: PeripheralOptions): Peripheral => new BlenoPeripheral(options);

const primaryService = (
  bleno: Bleno,
  { uuid, characteristics }: PeripheralOptions['services'][number],
): object =>
  new bleno.PrimaryService({
    uuid,
    characteristics: characteristics.map((characteristic) => blenoCharacteristic(bleno, characteristic)),
  });

const SUCCESS: AttStatus = 0x00;

const blenoCharacteristic = (bleno: Bleno, characteristic: PeripheralCharacteristic): object => {
  const { uuid, properties, onRead, onWrite, onWritten, onSubscribe, onUnsubscribe } = characteristic;
  const made: object = new bleno.Characteristic({
    uuid,
    properties,
    ...(onRead && {
      onReadRequest: (offset, answer) => {
        const value = attempt(onRead);
        if (value === undefined) answer(AttError.unlikelyError);
        else if (offset > value.length) answer(AttError.invalidOffset);
        else answer(SUCCESS, value.subarray(offset));
      },
    }),
    ...(onWrite && {
      onWriteRequest: (value, offset, _withoutResponse, answer) => {
        const status = offset > 0 ? AttError.invalidOffset : attempt(() => onWrite(value));
        answer(status ?? AttError.unlikelyError);
        if (status === SUCCESS) attempt(() => onWritten?.(value));
      },
    }),
    ...(onSubscribe && { onSubscribe: isolated(() => onSubscribe(notifierOf(bleno, made))) }),
    ...(onUnsubscribe && { onUnsubscribe: isolated(onUnsubscribe) }),
  });
  return made;
};
