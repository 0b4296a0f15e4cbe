import { coreError, notConnected, type ServerError } from '../../src/operations/index.js';
import { deviceMessage, type DeviceError } from '../device-error.js';

/** The codes of errors about something that is not there. */
const missing = {
  UnknownDevice: 'unknown_device',
  UnknownAdapter: 'unknown_adapter',
  UnknownFault: 'unknown_fault',
  NoTrace: 'no_trace',
  NoChaos: 'no_chaos',
} as const;

/** The error that a client of the control API gets for a failure of a simulated device. */
export const fromDeviceError = (error: DeviceError): ServerError => {
  const message = deviceMessage(error);
  switch (error._tag) {
    case 'ParseError':
    case 'ActionFailed':
      return error;
    case 'DeviceFailed':
      return coreError('device_failed', message);
    case 'AdapterFailed':
      return coreError('adapter_failed', message);
    default:
      return notConnected(missing[error._tag], message);
  }
};
