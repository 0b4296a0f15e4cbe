import type { BleError } from '../ble/ports.js';
import type { SearchError } from '../ble/search.js';
import { coreError, notConnected, shuttingDown, type ServerError } from './errors.js';

const because = (reason: number | null): string =>
  reason === null ? '' : `, reason 0x${reason.toString(16).padStart(2, '0').toUpperCase()}`;

/** What a failure of the wireless side is to a client. */
export const radioError = (error: BleError): ServerError => {
  switch (error._tag) {
    case 'AdapterOff':
      return coreError('adapter_off', `the Bluetooth adapter is ${error.state}, it must be poweredOn`);
    case 'AdapterUnavailable':
      return coreError('adapter_unavailable', error.reason);
    case 'NotHeard':
      return notConnected(
        'device_not_found',
        `device ${error.address} was not found: is it awake and in range?`,
      );
    case 'ConnectFailed':
      return coreError('connect_failed', `device ${error.address} could not be connected: ${error.reason}`);
    case 'LinkLimit':
      return coreError(
        'link_limit',
        `device ${error.address} could not be connected: the adapter has no room for another link`,
      );
    case 'Timeout':
      return coreError(
        'timeout',
        `device ${error.address}: ${error.operation} took longer than ${error.ms / 1000} s`,
      );
    case 'LinkLost':
      return coreError('link_lost', `the link to device ${error.address} was lost${because(error.reason)}`);
    case 'GattFailed':
      return coreError('gatt_failed', `device ${error.address}: ${error.operation} failed: ${error.reason}`);
    case 'Busy':
      return {
        _tag: 'TooManyRequests',
        message: `device ${error.address} has too many commands waiting`,
        retryAfterSecs: 1,
      };
    case 'Closed':
      return notConnected('not_connected', `device ${error.address} is not connected`);
  }
};

/** What a search that found nothing, or was given up, is to a client. */
export const searchError = (error: SearchError): ServerError =>
  error === 'aborted' ? shuttingDown : radioError(error);
