/** A host of one device on H4, and a client of the echo: `h4-host HCI-PORT ECHO-PORT ADDRESS`. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connectDevices, loadAll, VALUE_BYTES, type Ask } from './devices.js';
import { hostSocket } from './hosts.js';
import { serve } from './serve.js';

const [hciPort, echoPort, address = ''] = process.argv.slice(2);
const devices = await connectDevices(hostSocket(hciPort), [address]);
const socket = connect({ host: '127.0.0.1', port: Number(echoPort), noDelay: true });
await once(socket, 'connect');
let due = Infinity;
let received: () => void = () => undefined;
socket.on('data', (data: Buffer) => {
  due -= data.length;
  if (due === 0) received();
});
const askEcho: Ask = (notifications) => {
  due = 1 + notifications * VALUE_BYTES;
  const answered = new Promise<void>((resolve) => (received = resolve));
  socket.write(Buffer.of(notifications));
  return answered;
};

serve({}, ({ what, times, floor }) => loadAll(floor === true ? [askEcho] : devices, what, Number(times)));
