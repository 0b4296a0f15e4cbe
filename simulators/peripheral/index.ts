export type { AttStatus, Peripheral, PeripheralCharacteristic, PeripheralOptions } from './peripheral.js';
export { createPeripheral } from './peripheral.js';
