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

/** ATT error code of an answer to a write or read; 0 is success (Core 5.4 Vol 3 Part F 3.4.1.1). */
export type AttStatus = number;

/** One characteristic of a peripheral's service. UUIDs lower case without dashes. */
export interface PeripheralCharacteristic {
  readonly uuid: string;
  readonly properties: readonly ('read' | 'write' | 'writeWithoutResponse' | 'notify')[];
  readonly onWrite?: (value: Buffer) => AttStatus;
  /** After the response to a write that succeeded: what is notified here comes behind it. */
  readonly onWritten?: (value: Buffer) => void;
  readonly onRead?: () => Buffer;
  /**
   * The central enabled notifications; `notify` works until `onUnsubscribe` and must not be called after it.
   * A value longer than ATT_MTU - 3 is cut to that (Core 5.4 Vol 3 Part F 3.4.7.1).
   */
  readonly onSubscribe?: (notify: (value: Buffer) => void) => void;
  /** Notifications disabled, or the link ended. */
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
  /** From one advertisement to the next, ms, 20 to 10,240; 100 if left out. */
  readonly intervalMs?: number;
  readonly services: readonly {
    readonly uuid: string;
    readonly characteristics: readonly PeripheralCharacteristic[];
  }[];
  readonly onConnect?: (central: string) => void;
  /** The link ended, and with it all subscriptions: `onUnsubscribe` came before. */
  readonly onDisconnect?: () => void;
  /** `connected` or `advertising` is another. */
  readonly changed?: () => void;
}

/** A GATT server run by bleno on a controller of its own. */
export interface Peripheral {
  /** Resolves when the controller is ready; earlier calls take effect then. */
  readonly ready: Promise<void>;
  readonly name: string;
  readonly connected: boolean;
  /** Whether it is on the air for everybody; while connected it is not. */
  readonly advertising: boolean;
  /** The ATT_MTU of the current or last link. */
  readonly mtu: number;
  /** Another GAP device name from the next link on; advertising data are not changed. */
  rename(name: string): void;
  /** The largest ATT_MTU to agree to from now on, 23 to 256. */
  limitMtu(mtu: number): void;
  /**
   * Advertises (connectable, scannable) from now on, again after each link; if it does so already, with other data.
   * Both payloads are AD structures (`src/ble/hci/advertising-data.ts` writes them).
   * @throws RangeError if either is over 31 bytes.
   */
  advertise(advertisement: Buffer, scanResponse: Buffer): void;
  stopAdvertising(): void;
  /** Ends the link from the device's side (reason 0x13), if there is one that is not ending already. */
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

/** @throws RangeError if `name` or `advertises` do not fit a packet of 31 bytes. */
export const createPeripheral = (options: PeripheralOptions): Peripheral => {
  const { socket, advertises, intervalMs = 100, services, onConnect, onDisconnect, changed } = options;
  let { name } = options;
  let payload = advertises && usualPayload(name, advertises);
  const bleno = loadBleno(socket, intervalMs);
  let powered = false;
  let connected = false;
  let leaving = false;
  /** The data that the controller advertises now. */
  let onAir: Payload | undefined;
  const { _hci: hci, _gatt: gatt } = bleno._bindings;
  const advertise = (): void => {
    if (payload === undefined || !powered || connected) return;
    const [advertisement, scanResponse] = payload;
    if (onAir === undefined) bleno.startAdvertisingWithEIRData(advertisement, scanResponse);
    else {
      if (!onAir[0].equals(advertisement)) hci.setAdvertisingData(advertisement);
      if (!onAir[1].equals(scanResponse)) hci.setScanResponseData(scanResponse);
    }
    onAir = payload;
  };
  const offerServices = (): void =>
    setServices(
      bleno,
      name,
      services.map((service) => primaryService(bleno, service)),
    );
  const accepted = isolated((central: string) => {
    connected = true;
    onAir = undefined;
    onConnect?.(central);
    changed?.();
  });
  const disconnected = isolated(() => {
    connected = false;
    leaving = false;
    // bleno would go on with the payload from before the link.
    advertise();
    onDisconnect?.();
    changed?.();
  });
  bleno.on('accept', accepted);
  bleno.on('disconnect', disconnected);
  const ready = new Promise<void>((resolve) => {
    initialise(bleno, (state) => {
      powered = state === 'poweredOn';
      onAir = undefined;
      if (!powered) return;
      offerServices();
      advertise();
      resolve();
    });
  });
  return {
    ready,
    get name() {
      return name;
    },
    get connected() {
      return connected;
    },
    get advertising() {
      return payload !== undefined && !connected;
    },
    get mtu() {
      return gatt._mtu;
    },
    rename: (another) => {
      if (another === name) return;
      name = another;
      if (powered) offerServices();
      changed?.();
    },
    limitMtu: (mtu) => {
      gatt.maxMtu = mtu;
    },
    advertise: (...data) => {
      // bleno would not report it, and not advertise.
      if (data.some(({ length }) => length > MAX_ADVERTISING_DATA)) {
        throw new RangeError(`advertising data must be at most ${MAX_ADVERTISING_DATA} bytes`);
      }
      const isNew = payload === undefined;
      payload = data;
      advertise();
      if (isNew) changed?.();
    },
    stopAdvertising: () => {
      if (payload === undefined) return;
      payload = undefined;
      onAir = undefined;
      bleno.stopAdvertising();
      changed?.();
    },
    disconnect: () => {
      if (!connected || leaving) return;
      leaving = true;
      bleno.disconnect();
    },
    close: () => {
      bleno.removeAllListeners();
      socket.removeAllListeners();
      socket.stop();
    },
  };
};

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
