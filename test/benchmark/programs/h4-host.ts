/** A host of one device on H4, and a client of what answers the same: `h4-host HCI ECHO ADDRESS`. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { H4Stream } from '../../../src/ble/hci/h4-stream.js';
import { HostSocket } from '../../../src/ble/hci/host-socket.js';
import { parseHciSpec, type StreamSpec } from '../../../src/ble/hci/spec.js';
import { systemTime } from '../../../src/async/time.js';
import { right } from '../../support/either.js';
import { openNoble } from './noble-hosts.js';
import { asking, BURST, connectDevices, loadAll, VALUE_BYTES, type Connected } from './devices.js';
import { onQuestion, say } from './said.js';

const [hci = '', echo = '', address = ''] = process.argv.slice(2);

const streamOf = (text: string): StreamSpec => {
  const spec = right(parseHciSpec(text));
  if (spec.kind === 'tcp' || spec.kind === 'unix') return spec;
  throw new Error(`${text} is no stream`);
};

const devices = await connectDevices(openNoble, new HostSocket(new H4Stream(streamOf(hci)), systemTime), [
  address,
]);

const socket = connect(streamOf(echo));
socket.setNoDelay(true);
await once(socket, 'connect');
let due = Infinity;
let all: () => void = () => undefined;
socket.on('data', (data: Buffer) => {
  due -= data.length;
  if (due === 0) all();
});
const ask = (notifications: number): Promise<void> => {
  due = 1 + notifications * VALUE_BYTES;
  const answered = new Promise<void>((resolve) => (all = resolve));
  socket.write(asking(notifications));
  return answered;
};
const bare: Connected = { roundTrip: () => ask(0), notifications: () => ask(BURST) };

onQuestion(async ({ what, times, floor }) => {
  if (what !== 'roundTrip' && what !== 'notifications') return {};
  await loadAll(floor === true ? [bare] : devices, what, Number(times));
  return {};
});
say({});
