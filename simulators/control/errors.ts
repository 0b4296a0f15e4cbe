import { coreError, notConnected, type ServerError } from '../../src/http/index.js';
import { deviceSentence, type DeviceError } from '../device-error.js';

/** What a failure of a simulated device is to a client of the control API. */
export const fromDeviceError = (error: DeviceError): ServerError => {
  const sentence = deviceSentence(error);
  switch (error._tag) {
    case 'ParseError':
      return error;
    case 'ActionFailed':
      return notConnected(error.code, sentence);
    case 'UnknownDevice':
      return notConnected('unknown_device', sentence);
    case 'UnknownAdapter':
      return notConnected('unknown_adapter', sentence);
    case 'DeviceFailed':
      return coreError('device_failed', sentence);
    case 'AdapterFailed':
      return coreError('adapter_failed', sentence);
  }
};
