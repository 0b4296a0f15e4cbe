// A die in a web page: Chromium finds it, connects, listens and asks it for its battery.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { chromium } from 'playwright-core';

const SERVICE = '6e400001-b5a3-f393-e0a9-e50e24dcca9e';
const TO_THE_DIE = '6e400002-b5a3-f393-e0a9-e50e24dcca9e';
const FROM_THE_DIE = '6e400003-b5a3-f393-e0a9-e50e24dcca9e';

// ms; under emulation Chromium takes minutes.
const PATIENCE = 600_000;

// The click handler of a page would do the same.
const askBattery = async ({ service, write, notify }) => {
  const die = await navigator.bluetooth.requestDevice({ filters: [{ services: [service] }] });
  const gatt = await die.gatt.connect();
  const nus = await gatt.getPrimaryService(service);
  const fromTheDie = await nus.getCharacteristic(notify);
  const level = new Promise((resolve) =>
    fromTheDie.addEventListener('characteristicvaluechanged', ({ target: { value } }) => {
      const [b, a, t, percent] = new Uint8Array(value.buffer);
      if (String.fromCharCode(b, a, t) === 'Bat') resolve(percent);
    }),
  );
  await fromTheDie.startNotifications();
  await (await nus.getCharacteristic(write)).writeValueWithoutResponse(Uint8Array.of(0x03));
  return `${die.name} has ${await level} %`;
};

// Only pages of https and of localhost have Bluetooth.
const server = createServer((_request, response) => response.end('<!doctype html><title>Die</title>'));
await once(server.listen(0, '127.0.0.1'), 'listening');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromiumSandbox: false,
  args: ['--enable-features=WebBluetooth', '--disable-gpu', '--no-zygote'],
  timeout: PATIENCE,
});
const page = await browser.newPage();
await page.goto(`http://localhost:${server.address().port}/`, { timeout: PATIENCE });

// The answer of somebody who takes the first device that the browser shows.
const session = await page.context().newCDPSession(page);
await session.send('DeviceAccess.enable');
session.on('DeviceAccess.deviceRequestPrompted', ({ id, devices: [first] }) => {
  if (first !== undefined) void session.send('DeviceAccess.selectPrompt', { id, deviceId: first.id });
});

const places = JSON.stringify({ service: SERVICE, write: TO_THE_DIE, notify: FROM_THE_DIE });
const { result } = await session.send('Runtime.evaluate', {
  expression: `(${askBattery})(${places}).catch(String)`,
  ...{ userGesture: true, awaitPromise: true, returnByValue: true },
});
console.log(result.value);
await browser.close();
server.close();
