import type { ParseError } from '../../src/codecs/parse-error.js';

/** The failures of operations on a simulated device or on its world. */
export type DeviceError =
  /** The request is wrong. */
  | ParseError
  /** The device cannot do an action now: `code` for a program, `message` for a person. */
  | { readonly _tag: 'ActionFailed'; readonly code: string; readonly message: string }
  | { readonly _tag: 'UnknownDevice'; readonly address: string }
  | { readonly _tag: 'UnknownAdapter'; readonly id: string }
  | { readonly _tag: 'UnknownProxy'; readonly name: string }
  | { readonly _tag: 'UnknownFault'; readonly id: string }
  | { readonly _tag: 'NoTrace' }
  | { readonly _tag: 'NoChaos' }
  /** The code of a device threw while it came up or closed. */
  | {
      readonly _tag: 'DeviceFailed';
      readonly address: string;
      readonly operation: 'come up' | 'close in order';
      readonly reason: string;
    }
  | { readonly _tag: 'AdapterFailed'; readonly reason: string }
  | { readonly _tag: 'ProxyFailed'; readonly reason: string };

export const actionFailed = (code: string, message: string): DeviceError => ({
  _tag: 'ActionFailed',
  code,
  message,
});

/** One message for a person. */
export const deviceMessage = (error: DeviceError): string => {
  switch (error._tag) {
    case 'ParseError':
    case 'ActionFailed':
      return error.message;
    case 'UnknownDevice':
      return `there is no device ${error.address}`;
    case 'UnknownAdapter':
      return `there is no adapter ${error.id}`;
    case 'UnknownProxy':
      return `there is no proxy ${error.name}`;
    case 'UnknownFault':
      return `there is no fault ${error.id}`;
    case 'NoTrace':
      return 'this world keeps no trace';
    case 'NoChaos':
      return 'there is no chaos';
    case 'DeviceFailed':
      return `the device ${error.address} did not ${error.operation}: ${error.reason}`;
    case 'AdapterFailed':
    case 'ProxyFailed':
      return error.reason;
  }
};
