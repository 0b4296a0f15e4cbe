import { coreError, notConnected, type ServerError } from '../../src/operations/index.js';
import { deviceMessage, type DeviceError } from '../device-error.js';

/** What a failure of a simulated device is to a client of the control API. */
export const fromDeviceError = (error: DeviceError): ServerError => {
  const message = deviceMessage(error);
  switch (error._tag) {
    case 'ParseError':
      return error;
    case 'ActionFailed':
      return error;
    case 'UnknownDevice':
      return notConnected('unknown_device', message);
    case 'UnknownAdapter':
      return notConnected('unknown_adapter', message);
    case 'UnknownFault':
      return notConnected('unknown_fault', message);
    case 'NoTrace':
      return notConnected('no_trace', message);
    case 'NoChaos':
      return notConnected('no_chaos', message);
    case 'DeviceFailed':
      return coreError('device_failed', message);
    case 'AdapterFailed':
      return coreError('adapter_failed', message);
  }
};
