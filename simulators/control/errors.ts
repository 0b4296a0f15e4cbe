import { coreError, notConnected, type ServerError } from '../../src/operations/index.js';
import { deviceMessage, type DeviceError } from '../device-error.js';

/** Failures that become errors as they are. */
type Ready = Extract<DeviceError, { readonly _tag: 'ParseError' | 'ActionFailed' }>;

const errors: Readonly<Record<Exclude<DeviceError, Ready>['_tag'], (message: string) => ServerError>> = {
  UnknownDevice: (message) => notConnected('unknown_device', message),
  UnknownAdapter: (message) => notConnected('unknown_adapter', message),
  UnknownProxy: (message) => notConnected('unknown_proxy', message),
  UnknownFault: (message) => notConnected('unknown_fault', message),
  NoTrace: (message) => notConnected('no_trace', message),
  NoChaos: (message) => notConnected('no_chaos', message),
  DeviceFailed: (message) => coreError('device_failed', message),
  AdapterFailed: (message) => coreError('adapter_failed', message),
  ProxyFailed: (message) => coreError('proxy_failed', message),
};

/** The error that a client of the control API gets for a failure of a simulated device. */
export const fromDeviceError = (error: DeviceError): ServerError =>
  error._tag === 'ParseError' || error._tag === 'ActionFailed'
    ? error
    : errors[error._tag](deviceMessage(error));
