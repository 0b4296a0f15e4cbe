import type { ParseError } from '../codecs/parse-error.js';
import type { Address, BleError } from '../ble/ports.js';
import type { StoreError } from '../store/store.js';

/** A failure of work with a device. `src/operations/device-errors.ts` turns it into an answer to a client. */
export type DeviceError =
  /** The adapter or the link failed. */
  | BleError
  /** The request cannot be carried out, such as a setting out of range. */
  | ParseError
  /** The client has gone, or the server shuts down. */
  | { readonly _tag: 'Aborted' }
  /** The device has no link; `cause`: why, as far as the server knows. */
  | {
      readonly _tag: 'NotConnected';
      readonly address: Address;
      readonly cause: 'unknown' | 'reconnecting' | 'lost' | 'disconnected';
    }
  /** The device is not of the kind that this server serves. */
  | {
      readonly _tag: 'OtherDevice';
      readonly address: Address;
      readonly name: string;
      readonly expected: 'die' | 'clock';
    }
  | { readonly _tag: 'SessionNotFound'; readonly id: string }
  /** Another server on the broker has a link to the device; `owner`: its name. */
  | { readonly _tag: 'OwnedElsewhere'; readonly address: Address; readonly owner: string }
  /** The device did not answer `request` within `ms`. */
  | { readonly _tag: 'NoAnswer'; readonly address: Address; readonly request: string; readonly ms: number }
  | { readonly _tag: 'NoReading'; readonly address: Address; readonly ms: number }
  /** The device reports that the request failed. */
  | { readonly _tag: 'Refused'; readonly address: Address; readonly request: string }
  | { readonly _tag: 'BadAnswer'; readonly address: Address; readonly reason: string }
  /** A clock is bound to another token. */
  | { readonly _tag: 'TokenRefused'; readonly address: Address }
  /** The file of tokens cannot be read, written or locked. */
  | { readonly _tag: 'StoreUnusable'; readonly path: string; readonly reason: string }
  /** The store of the server cannot answer. */
  | StoreError
  /** The server has never heard the device. */
  | { readonly _tag: 'Unheard'; readonly address: Address }
  /** A packet of the link has room for `mtu` bytes, fewer than `needed`. */
  | {
      readonly _tag: 'MtuTooSmall';
      readonly address: Address;
      readonly mtu: number;
      readonly needed: number;
    }
  /** Unfinished uploads hold `bytes` at most; the next upload may begin after `retryMs`. */
  | { readonly _tag: 'UploadsFull'; readonly bytes: number; readonly retryMs: number }
  /** The die reports that it is of the type `actual`. */
  | { readonly _tag: 'WrongDiceType'; readonly requested: string; readonly actual: string }
  /** The simulation has no device with the address. */
  | { readonly _tag: 'NotSimulated'; readonly address: Address }
  /** The control API at `url` did not do its work; `reason`: the end of a sentence about it. */
  | { readonly _tag: 'SimulatorFailed'; readonly url: string; readonly reason: string }
  /** A die moved, or lay on no face, for `ms`. */
  | { readonly _tag: 'NotStill'; readonly address: Address; readonly ms: number };

export const ABORTED: DeviceError = { _tag: 'Aborted' };
