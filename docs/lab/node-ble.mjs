/** Puts the device on the air that node-ble's own tests want, and runs those in a Linux guest. */
import { createPeripheral } from 'airbench/peripheral';
import { Air, H4Server, VirtualSocket } from 'airbench/radio';
import { guest } from 'airbench/testing';

const DEVICE = 'C0:DE:00:00:00:01';
const uuid = (digit) => `1234567812345678123456789abcdef${digit}`;

const air = new Air({ pace: 'fast' });
const hosts = new H4Server(air);
const port = await hosts.listen({ host: '127.0.0.1', port: 0 });

let echo = Buffer.alloc(0);
let timer;
const device = createPeripheral({
  socket: new VirtualSocket(air, { address: DEVICE, addressType: 'random', name: 'echo' }),
  name: 'echo',
  advertises: [uuid(0)],
  services: [
    {
      uuid: uuid(0),
      characteristics: [
        {
          uuid: uuid(1),
          properties: ['read', 'write'],
          onRead: () => echo,
          onWrite: (value) => {
            echo = Buffer.concat([Buffer.from('ECHO>'), value]);
            return 0;
          },
        },
        {
          uuid: uuid(2),
          properties: ['notify'],
          onSubscribe: (notify) => {
            timer = setInterval(() => notify(Buffer.from('Notification data')), 500);
          },
          onUnsubscribe: () => clearInterval(timer),
        },
      ],
    },
  ],
});

const linux = await guest({ hci: `tcp:127.0.0.1:${port}` });
const tests = [
  'node',
  'node_modules/jest/bin/jest.js',
  '--rootDir',
  'node-ble',
  '--runInBand',
  '--silent',
  process.argv[2] ?? 'test-e2e',
];
const { status, stderr } = await linux.run(['env', `TEST_DEVICE=${DEVICE}`, ...tests]);
process.stdout.write(stderr);
await linux.close();
device.close();
await hosts.close();
process.exitCode = status;
