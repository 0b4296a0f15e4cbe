import type { ParseError } from '../codecs/parse-error.js';
import type { Address, BleError } from '../ble/ports.js';

/** Every way in which work with a device fails. What it is to a client is decided where that client is answered. */
export type DeviceError =
  /** The adapter or the link failed. */
  | BleError
  /** The request cannot be carried out, such as a setting out of range. */
  | ParseError
  /** The client has gone, or the server shuts down. */
  | { readonly _tag: 'Aborted' }
  /** The device is not linked now; `cause`: the knowledge of the server. */
  | {
      readonly _tag: 'NotConnected';
      readonly address: Address;
      readonly cause: 'unknown' | 'reconnecting' | 'lost' | 'disconnected';
    }
  /** The device advertises a name that no device of this server has. */
  | {
      readonly _tag: 'OtherDevice';
      readonly address: Address;
      readonly name: string;
      readonly expected: 'die' | 'clock';
    }
  | { readonly _tag: 'SessionNotFound'; readonly id: string }
  /** Another server of the fleet has the device; `owner`: its name. */
  | { readonly _tag: 'OwnedElsewhere'; readonly address: Address; readonly owner: string }
  /** The fleet did not say whether this server may have the device; `namesake`: another server has its name. */
  | { readonly _tag: 'Unclaimed'; readonly address: Address; readonly cause: 'silence' | 'namesake' }
  /** `request` is the name of what the device did not answer within `ms`. */
  | { readonly _tag: 'NoAnswer'; readonly address: Address; readonly request: string; readonly ms: number }
  | { readonly _tag: 'NoReading'; readonly address: Address; readonly ms: number }
  /** The device says that the request failed. */
  | { readonly _tag: 'Refused'; readonly address: Address; readonly request: string }
  | { readonly _tag: 'BadAnswer'; readonly address: Address; readonly reason: string }
  /** A clock is bound to another token. */
  | { readonly _tag: 'TokenRefused'; readonly address: Address }
  /** The file of tokens cannot be read, written or locked. */
  | { readonly _tag: 'StoreUnusable'; readonly path: string; readonly reason: string }
  /** Bytes that a packet of the link has room for, and that are needed. */
  | {
      readonly _tag: 'MtuTooSmall';
      readonly address: Address;
      readonly mtu: number;
      readonly needed: number;
    }
  /** Unfinished uploads hold as many bytes as they may; the next one may begin after `retryMs`. */
  | { readonly _tag: 'UploadsFull'; readonly bytes: number; readonly retryMs: number }
  /** The die knows that it is of the type `own`. */
  | { readonly _tag: 'WrongDiceType'; readonly given: string; readonly own: string }
  /** A die moved, or lay on no face, for `ms`. */
  | { readonly _tag: 'NotStill'; readonly address: Address; readonly ms: number };

export const ABORTED: DeviceError = { _tag: 'Aborted' };
