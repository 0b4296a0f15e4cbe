/** The floor of an event: a handler on noble that sends what it hears itself. `bare-die-server HCI-PORT ADDRESS`. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { H4Stream } from '../../../src/ble/hci/h4-stream.js';
import { HostSocket } from '../../../src/ble/hci/host-socket.js';
import { systemTime } from '../../../src/async/time.js';
import { connectAll, openBareNoble, subscribe } from './noble-hosts.js';
import { cpuUsed, onQuestion, say } from './said.js';

const NOTIFY = '6e400003b5a3f393e0a9e50e24dcca9e';
const ROLLING = 'R'.charCodeAt(0);

const [port, address = ''] = process.argv.slice(2);
const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
await once(sockets, 'listening');
const noble = await openBareNoble(
  new HostSocket(new H4Stream({ kind: 'tcp', host: '127.0.0.1', port: Number(port) }), systemTime),
);
const die = (await connectAll(noble, [address])).get(address);
await subscribe(die?.get(NOTIFY), (value) => {
  const event =
    value[0] === ROLLING
      ? { kind: 'RollStart' }
      : { kind: 'Stable', x: value.readInt8(1), y: value.readInt8(2), z: value.readInt8(3) };
  const text = JSON.stringify(event);
  for (const socket of sockets.clients) socket.send(text);
});
onQuestion(cpuUsed);
say({ port: (sockets.address() as AddressInfo).port });
