/**
 * Bluetooth as a server sees it: a radio that receives advertisements and makes links.
 * `noble/` is behind it with an adapter, `esphome/` with proxies; tests may bring another.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Task } from 'fp-ts/lib/Task.js';

/** A device address: upper case, colon-separated, such as `D1:CE:00:00:00:01`. */
export type Address = string;

/** A UUID as noble writes it: lower case, without dashes; of the Bluetooth base only its 16 bits, without leading zeros. */
export type Uuid = string;

export type Unsubscribe = () => void;

/** `poweredOn` is the only state in which it can scan or connect. */
export type AdapterState = 'unknown' | 'poweredOn' | 'poweredOff' | 'unauthorized' | 'unsupported';

/** A device as its advertising shows it, scan response merged in. */
export interface Advertisement {
  readonly address: Address;
  /** The local name without trailing NULs; null while no packet carried one. */
  readonly name: string | null;
  /** Signal strength of the last packet, dBm; null: the adapter does not know it. */
  readonly rssi: number | null;
  /** When the last packet was received. */
  readonly heardAt: Date;
  readonly connectable: boolean;
  readonly serviceUuids: readonly Uuid[];
  /** The company id (u16, little-endian), then its data; null while no packet carried any. */
  readonly manufacturerData: Buffer | null;
  readonly serviceData: readonly { readonly uuid: Uuid; readonly data: Buffer }[];
}

/** Every way in which the wireless side fails. */
export type BleError =
  | { readonly _tag: 'AdapterOff'; readonly state: AdapterState }
  /** The radio that `--hci` names cannot be used; `reason` is a message that says what to do. */
  | { readonly _tag: 'AdapterUnavailable'; readonly reason: string }
  /** Nothing with that address advertised lately. */
  | { readonly _tag: 'NotFound'; readonly address: Address }
  /** `status`: the error code of the controller, if it gave one. */
  | {
      readonly _tag: 'ConnectFailed';
      readonly address: Address;
      readonly reason: string;
      readonly status?: number;
    }
  /** There is no room for another link; `full`: which of several radios have none, and how many they have room for. */
  | { readonly _tag: 'LinkLimit'; readonly address: Address; readonly full?: string }
  | { readonly _tag: 'Timeout'; readonly address: Address; readonly operation: string; readonly ms: number }
  /** The link ended; `reason` is the HCI reason code where the controller gave one. */
  | { readonly _tag: 'LinkLost'; readonly address: Address; readonly reason: number | null }
  /** The device lacks a service or characteristic, or refused an operation. */
  | {
      readonly _tag: 'GattFailed';
      readonly address: Address;
      readonly operation: string;
      readonly reason: string;
      /** The ATT error code, if the device refused. */
      readonly error?: number;
    }
  /** More than the link's queue holds. */
  | { readonly _tag: 'Busy'; readonly address: Address }
  /** We closed it ourselves: `close`, `disconnect` or an aborted connect. */
  | { readonly _tag: 'Closed'; readonly address: Address };

/** Time limits of the radio's work, milliseconds, counted from when the work starts. */
export interface BleLimits {
  /** One connect attempt; not while it waits, nor while it has given way to another. */
  readonly connect: number;
  /** Discovery, and each subscription. */
  readonly discover: number;
  /** One GATT operation. */
  readonly gatt: number;
}

/** The services that a link must offer before it is handed out. */
export interface GattProfile {
  readonly service: Uuid;
  readonly characteristics: readonly Uuid[];
}

/** One of several radios, as it is now. */
export interface RadioPart {
  readonly name: string;
  readonly isUp: boolean;
  /** Whether it can hear devices. */
  readonly hears: boolean;
  /** Why it cannot be used, or may hear nothing, a message. */
  readonly problem: string | undefined;
  /** The links that it has room for; undefined: not known. */
  readonly slots: { readonly free: number; readonly limit: number } | undefined;
  /** The signal of a device in its last advertisement, dBm; undefined: it does not hear it, or cannot measure it. */
  readonly signalOf: (address: Address) => number | undefined;
  /** Whether a device is connected through it. */
  readonly isLinked: (address: Address) => boolean;
}

export interface Radio {
  /** The radios that it is made of, if there are several. */
  readonly parts?: readonly RadioPart[];
  readonly state: AdapterState;
  onState(listener: (state: AdapterState) => void): Unsubscribe;
  /**
   * Receives advertisements until it is unsubscribed; the adapter scans while anybody listens. `listener` is called for
   * every packet.
   */
  listen(listener: (advertisement: Advertisement) => void): Unsubscribe;
  /** The same for the packets that others listen for: the adapter does not scan for it. */
  observe(listener: (advertisement: Advertisement) => void): Unsubscribe;
  /** The last advertisement of a device; undefined if it has not advertised lately. */
  lastAdvertisement(address: Address): Advertisement | undefined;
  /**
   * Makes a link and discovers `profile` on it. One attempt runs at a time; one at a silent device gives way to one at a
   * device that has just advertised. `signal` aborts it (`Closed`). Left `NotFound` if the device has not advertised
   * lately.
   */
  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, Link>;
  /** Ends all links, the scan and the adapter's use. */
  readonly close: Task<void>;
}

/**
 * One connected device. Operations run one after another, each within its limit. One that exceeds it ends the link:
 * queued operations fail with the same error. Nothing is delivered after the end.
 */
export interface Link {
  readonly address: Address;
  /** Undefined while the link is up, then why it ended. */
  readonly ended: BleError | undefined;
  /** Calls back once, at once if the link has ended already. */
  onEnd(listener: (cause: BleError) => void): Unsubscribe;
  /** Whether the device offers notifications of a characteristic, which was discovered. */
  notifies(characteristic: Uuid): boolean;
  /** Left `GattFailed` if the device refuses, and the link goes on. */
  read(characteristic: Uuid): TaskEither<BleError, Buffer>;
  /**
   * With response where the characteristic has it, unless `withoutResponse` is asked for. `begun` is called when it is
   * written, after all that was queued before. Left `GattFailed` if the device refuses, and the link goes on.
   */
  write(
    characteristic: Uuid,
    value: Buffer,
    withoutResponse?: boolean,
    begun?: () => void,
  ): TaskEither<BleError, void>;
  /**
   * Notifications of a characteristic, in order, until the link ends. Resolves when the device knows of it; Left
   * `GattFailed` if it refuses, and the link goes on.
   */
  subscribe(characteristic: Uuid, listener: (value: Buffer) => void): TaskEither<BleError, void>;
  /** Signal strength of the link, dBm; null: the adapter does not know it. */
  readonly rssi: TaskEither<BleError, number | null>;
  /** The most bytes of one ATT packet (ATT_MTU) as agreed with the device; null while it is not known. */
  readonly mtu: number | null;
  /** Resolves when the link has ended; ending an ended link does nothing. */
  readonly disconnect: Task<void>;
  /** Ends the link because the device did not answer: queued operations fail with `cause`. */
  fail(cause: BleError): void;
}
