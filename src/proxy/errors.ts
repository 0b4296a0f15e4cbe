import { Status } from '../ble/hci/status.js';
import type { BleError } from '../ble/ports.js';
import { ProxyError } from '../esphome/index.js';

/** A failure as the API numbers it: an error of ATT, a reason of HCI, or one of ESP-IDF's own. */
export const errorNumber = (error: BleError): number => {
  switch (error._tag) {
    case 'LinkLost':
      return error.reason ?? ProxyError.failed;
    case 'LinkLimit':
      return Status.connectionLimitExceeded;
    case 'ConnectFailed':
      return error.status ?? ProxyError.connectFailed;
    case 'NotFound':
    case 'Timeout':
      return ProxyError.connectFailed;
    case 'Closed':
      return Status.localHostTerminated;
    case 'GattFailed':
      return error.error ?? ProxyError.failed;
    case 'Busy':
    case 'AdapterOff':
    case 'AdapterUnavailable':
      return ProxyError.failed;
  }
};
