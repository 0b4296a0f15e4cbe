/** Two devices, for a host on TCP and one on a Unix socket, and what answers the same without a radio: `h4-devices FOLDER`. */
import { createServer, type AddressInfo, type ListenOptions, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { Air, H4Server } from '../../../simulators/radio/index.js';
import { addDevice, addresses, answerTo } from './devices.js';
import { cpuUsed, onQuestion, say } from './said.js';

const [folder = ''] = process.argv.slice(2);
const air = new Air({ pace: 'fast' });
const all = addresses(2);
for (const address of all) await addDevice(air, address);
const hosts = new H4Server(air);
const path = join(folder, 'hci');
const echoPath = join(folder, 'echo');
const port = await hosts.listen({ host: '127.0.0.1', port: 0 });
await hosts.listen({ path });

/** Each write is one byte. */
const answer = (socket: Socket): void => {
  socket.on('data', (written: Buffer) => {
    for (const asked of written) {
      socket.write(Buffer.of(asked));
      answerTo(Buffer.of(asked), (value) => socket.write(value));
    }
  });
};
const echo = async (at: ListenOptions): Promise<number> => {
  const server = createServer({ noDelay: true }, answer).listen(at);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
const echoPort = await echo({ host: '127.0.0.1', port: 0 });
await echo({ path: echoPath });

onQuestion(cpuUsed);
say({
  tcp: [`tcp:127.0.0.1:${port}`, `tcp:127.0.0.1:${echoPort}`, all[0]],
  unix: [`unix:${path}`, `unix:${echoPath}`, all[1]],
});
