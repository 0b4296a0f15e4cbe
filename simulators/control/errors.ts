import { coreError, notConnected, type ServerError } from '../../src/operations/index.js';
import { deviceMessage, type DeviceError } from '../device-error.js';

/** What a failure of a simulated device is to a client of the control API. */
export const fromDeviceError = (error: DeviceError): ServerError => {
  const sentence = deviceMessage(error);
  switch (error._tag) {
    case 'ParseError':
      return error;
    case 'ActionFailed':
      return error;
    case 'UnknownDevice':
      return notConnected('unknown_device', sentence);
    case 'UnknownAdapter':
      return notConnected('unknown_adapter', sentence);
    case 'UnknownFault':
      return notConnected('unknown_fault', sentence);
    case 'NoTrace':
      return notConnected('no_trace', sentence);
    case 'NoChaos':
      return notConnected('no_chaos', sentence);
    case 'DeviceFailed':
      return coreError('device_failed', sentence);
    case 'AdapterFailed':
      return coreError('adapter_failed', sentence);
  }
};
