/** A Bluetooth proxy on a radio, in a network with a delay in each direction: `proxy HCI-PORT DELAY-MS`. */
import { openLine } from '../../../simulators/proxy/line.js';
import { systemTime } from '../../../src/async/time.js';
import { openRadio } from '../../../src/ble/noble/index.js';
import { startProxy } from '../../../src/proxy/server.js';
import { right } from '../../support/either.js';
import { silent } from '../../support/log.js';
import { serve } from './serve.js';

const [hciPort, delayMs] = process.argv.slice(2).map(Number);
const radio = right(
  await openRadio({
    hci: { kind: 'tcp', host: '127.0.0.1', port: hciPort ?? 0 },
    limits: { connect: 10_000, discover: 10_000, gatt: 10_000 },
    warn: (message) => console.error(message),
  })(),
);
const network = { delay: () => delayMs ?? 0, isStalled: () => false };
const { port } = right(
  await startProxy({
    ...{ radio, time: systemTime, log: silent, address: '127.0.0.1', port: 0, key: undefined },
    ...{ name: 'benchmark', mac: '02:00:00:00:00:01', slots: 3 },
    ...(delayMs !== 0 && { line: (socket) => openLine(socket, network, systemTime).stream }),
  })(),
);
serve({ port });
