/** The floor of a command: a WebSocket whose commands are written on noble. `bare-clock-server HCI-PORT ADDRESS…`. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { H4Stream } from '../../../src/ble/hci/h4-stream.js';
import { HostSocket } from '../../../src/ble/hci/host-socket.js';
import { systemTime } from '../../../src/async/time.js';
import { connectAll, openBareNoble, subscribe } from './noble-hosts.js';
import { cpuUsed, onQuestion, say } from './said.js';

const TOKEN = Buffer.alloc(16, 0x5a);
const SET_BRIGHTNESS = 0x03;

interface Command {
  readonly id: number;
  readonly command: { readonly address: string; readonly value: number };
}

/** Writes a command, and waits for what answers it; one at a time. */
type Send = (opcode: number, ...payload: readonly number[]) => Promise<Buffer>;

const [port, ...addresses] = process.argv.slice(2);
const noble = await openBareNoble(
  new HostSocket(new H4Stream({ kind: 'tcp', host: '127.0.0.1', port: Number(port) }), systemTime),
);
const clocks = new Map<string, Send>();
for (const [address, characteristics] of await connectAll(noble, addresses)) {
  const channel = async (write: string, notify: string): Promise<Send> => {
    const characteristic = characteristics.get(write);
    let answered: (answer: Buffer) => void = () => undefined;
    await subscribe(characteristics.get(notify), (answer) => answered(answer));
    let last: Promise<unknown> = Promise.resolve();
    const send: Send = async (opcode, ...payload) => {
      const answer = new Promise<Buffer>((resolve) => (answered = resolve));
      characteristic?.write(Buffer.from([1 + payload.length, opcode, ...payload]), false);
      return answer;
    };
    return (...command) => {
      const sent = last.then(() => send(...command));
      last = sent;
      return sent;
    };
  };
  const authenticate = await channel('1', '2');
  await authenticate(0x01, ...TOKEN);
  await authenticate(0x02, ...TOKEN);
  clocks.set(address, await channel('b', 'c'));
}

const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
await once(sockets, 'listening');
sockets.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => {
    const { id, command } = JSON.parse(data.toString()) as Command;
    const { address, value } = command;
    void clocks
      .get(address)?.(SET_BRIGHTNESS, value / 10)
      .then(() => socket.send(JSON.stringify({ id, result: { address, brightness: value }, error: null })));
  });
});
onQuestion(cpuUsed);
say({ port: (sockets.address() as AddressInfo).port });
