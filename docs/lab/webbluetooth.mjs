/** Finds a die by Web Bluetooth in Node, reads its battery and disconnects. */
import { bluetooth } from 'webbluetooth';

const SERVICE = '6e400001-b5a3-f393-e0a9-e50e24dcca9e';
const TO_THE_DIE = '6e400002-b5a3-f393-e0a9-e50e24dcca9e';
const FROM_THE_DIE = '6e400003-b5a3-f393-e0a9-e50e24dcca9e';
const GET_BATTERY = Uint8Array.of(0x03);
const BATTERY = 0x42; // "Bat", and the level

// Its adapter for BlueZ knows the services of a device only when it is connected: a filter by them finds nothing.
const device = await bluetooth.requestDevice({
  filters: [{ namePrefix: 'GoDice' }],
  optionalServices: [SERVICE],
});
console.log(`found ${device.name}`);
const service = await (await device.gatt.connect()).getPrimaryService(SERVICE);
const from = await service.getCharacteristic(FROM_THE_DIE);
const level = new Promise((resolve) => {
  from.addEventListener('characteristicvaluechanged', ({ target: { value } }) => {
    if (value.getUint8(0) === BATTERY) resolve(value.getUint8(3));
  });
});
await from.startNotifications();
await (await service.getCharacteristic(TO_THE_DIE)).writeValueWithoutResponse(GET_BATTERY);
console.log(`battery ${await level} %`);
device.gatt.disconnect();
process.exit();
