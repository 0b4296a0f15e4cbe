import type { FailureCode } from '../../src/contract/index.js';
import { failure, type ServerError } from '../../src/operations/index.js';
import { deviceMessage, type DeviceError } from '../devices/device-error.js';

const codes: Readonly<Record<Exclude<DeviceError['_tag'], 'ParseError' | 'ActionFailed'>, FailureCode>> = {
  UnknownDevice: 'unknown_device',
  UnknownAdapter: 'unknown_adapter',
  UnknownProxy: 'unknown_proxy',
  UnknownFault: 'unknown_fault',
  NoTrace: 'no_trace',
  NoChaos: 'no_chaos',
  DeviceFailed: 'device_failed',
  AdapterFailed: 'adapter_failed',
  ProxyFailed: 'proxy_failed',
};

/** The error that a client of the control API gets for a failure of a simulated device. */
export const fromDeviceError = (error: DeviceError): ServerError => {
  if (error._tag === 'ParseError') return error;
  if (error._tag === 'ActionFailed') return { code: error.code, message: error.message, status: 404 };
  return failure(codes[error._tag], deviceMessage(error));
};
