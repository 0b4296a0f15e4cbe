/** `airbench/peripheral`: a GATT server on its own controller, run by bleno, and its advertising data. */
export {
  AdType,
  MAX_ADVERTISING_DATA,
  completeName,
  completeUuids,
  encodeAdvertisingData,
  generalDiscoverable,
  uuidBytes,
  type AdStructure,
} from '../ble/advertising-data.js';
export type { HciSocket } from '../../src/ble/hci/socket.js';
export type { AttStatus, Peripheral, PeripheralCharacteristic, PeripheralOptions } from './peripheral.js';
export { createPeripheral } from './peripheral.js';
