/**
 * Bluetooth for a server: a radio that receives advertisements and makes links.
 * `noble/` implements it on adapters, `esphome/` on proxies; tests may have another.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Problem } from './problem.js';

/** A device address: upper case, colon-separated, such as `D1:CE:00:00:00:01`. */
export type Address = string;

/** A UUID as noble writes it: lower case, without dashes; a UUID of 16 bits has up to 4 digits, without leading zeros. */
export type Uuid = string;

export type Unsubscribe = () => void;

/** An adapter can scan and connect in the state `poweredOn` alone. */
export type AdapterState = 'unknown' | 'poweredOn' | 'poweredOff' | 'unauthorized' | 'unsupported';

/** The advertisement of a device, with its scan response. */
export interface Advertisement {
  readonly address: Address;
  /** The local name without trailing NULs; null until a packet had one. */
  readonly name: string | null;
  /** Signal strength of the last packet, dBm; null: the adapter does not know it. */
  readonly rssi: number | null;
  /** The time of the last packet. */
  readonly heardAt: Date;
  readonly connectable: boolean;
  readonly serviceUuids: readonly Uuid[];
  /** The company id (u16, little-endian) and its data; null until a packet had them. */
  readonly manufacturerData: Buffer | null;
  readonly serviceData: readonly { readonly uuid: Uuid; readonly data: Buffer }[];
}

/** A failure of the radio or of a link. */
export type BleError =
  /** `reason`: a message with a remedy, if the radio knows why it is off. */
  | { readonly _tag: 'AdapterOff'; readonly state: AdapterState; readonly reason?: string }
  /** The radio that `--hci` names cannot be used; `reason`: a message with a remedy. */
  | { readonly _tag: 'AdapterUnavailable'; readonly reason: string }
  /** No device with this address has advertised lately. */
  | { readonly _tag: 'NotFound'; readonly address: Address }
  /** `status`: the error code of the controller, if it gave one. */
  | {
      readonly _tag: 'ConnectFailed';
      readonly address: Address;
      readonly reason: string;
      readonly status?: number;
    }
  /** There is no room for another link; `full`: the radios without room, and their limits, if there are several. */
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
  /** The queue of the link is full. */
  | { readonly _tag: 'Busy'; readonly address: Address }
  /** Our side closed the link or gave the attempt up: `close`, `disconnect` or an aborted `connect`. */
  | { readonly _tag: 'Closed'; readonly address: Address };

/** Time limits, milliseconds from the start of the work. */
export interface BleLimits {
  /** One request to connect, less the time in which it waits or has given way to another. */
  readonly connect: number;
  /** Discovery, or one subscription. */
  readonly discover: number;
  /** One GATT operation. */
  readonly gatt: number;
}

/** A service that a device must have, with its characteristics. */
export interface GattProfile {
  readonly service: Uuid;
  readonly characteristics: readonly Uuid[];
}

/** The state of one radio of a server. */
export interface RadioPart {
  readonly name: string;
  readonly isUp: boolean;
  /** Whether it can hear devices. */
  readonly hears: boolean;
  /** The reason why it cannot be used, or may hear nothing: a message. */
  readonly problem: string | undefined;
  /** The links that it has room for; undefined: not known. */
  readonly slots: { readonly free: number; readonly limit: number } | undefined;
  /** The signal of a device in its last advertisement, dBm; undefined: not heard, or not measured. */
  readonly signalOf: (address: Address) => number | undefined;
  /** Whether a device is connected through it. */
  readonly isLinked: (address: Address) => boolean;
}

export interface Radio {
  /** The radios behind this one, if it stands for others. */
  readonly parts?: readonly RadioPart[];
  readonly state: AdapterState;
  /** The reason why it cannot be used now; undefined: it can, or `state` says all. */
  readonly problem?: Problem | undefined;
  onState(listener: (state: AdapterState) => void): Unsubscribe;
  /**
   * Calls `listener` for every packet until it is unsubscribed; the adapter scans while there is a
   * listener.
   */
  listen(listener: (advertisement: Advertisement) => void): Unsubscribe;
  /** Calls `listener` for every packet too, but the adapter does not scan for it. */
  observe(listener: (advertisement: Advertisement) => void): Unsubscribe;
  /** The last advertisement of a device; undefined if it has not advertised lately. */
  lastAdvertisement(address: Address): Advertisement | undefined;
  /**
   * Makes a link and discovers `profile` on it. One attempt runs at a time; an attempt at a silent device gives way to a
   * device that has just advertised. Left `Closed`: `signal` aborted the request; `NotFound`: the device has not advertised
   * lately.
   */
  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, Link>;
  /** Ends all links and the scan, and releases the adapter. */
  readonly close: Task<void>;
}

/**
 * A connected device. Operations run one after another, each within its limit. An operation that exceeds its limit ends the
 * link: queued operations fail with the same error. Nothing is delivered after the end.
 */
export interface Link {
  readonly address: Address;
  /** Undefined while the link is up, then the reason for its end. */
  readonly ended: BleError | undefined;
  /** Calls back when the link ends, or at once if it has ended. */
  onEnd(listener: (cause: BleError) => void): Unsubscribe;
  /** Whether the device offers notifications of a discovered characteristic. */
  notifies(characteristic: Uuid): boolean;
  /** Reads a value. Left `GattFailed`: the device refused, and the link goes on. */
  read(characteristic: Uuid): TaskEither<BleError, Buffer>;
  /**
   * Writes a value: with response if the characteristic allows it, unless `withoutResponse`. Calls `begun` when the operation
   * starts, after all that were queued before. Left `GattFailed`: the device refused, and the link goes on.
   */
  write(
    characteristic: Uuid,
    value: Buffer,
    withoutResponse?: boolean,
    begun?: () => void,
  ): TaskEither<BleError, void>;
  /**
   * Calls `listener` with the notifications of a characteristic until the link ends. Resolves when the device has confirmed. Left
   * `GattFailed`: the device refused, and the link goes on.
   */
  subscribe(characteristic: Uuid, listener: (value: Buffer) => void): TaskEither<BleError, void>;
  /** Signal strength of the link, dBm; null: the adapter does not know it. */
  readonly rssi: TaskEither<BleError, number | null>;
  /** The most bytes of one ATT packet (ATT_MTU), agreed with the device; null: not known yet. */
  readonly mtu: number | null;
  /** Ends the link if it is up; resolves when it has ended. */
  readonly disconnect: Task<void>;
  /** Ends the link because the device did not answer: queued operations fail with `cause`. */
  fail(cause: BleError): void;
}
