/** noble and bleno in one process with our radio between them: `radio-load DEVICES HOSTS`. */
import { Air, VirtualSocket } from '../../../simulators/radio/index.js';
import { nthAddress } from '../../../simulators/address.js';
import { openNoble } from './noble-hosts.js';
import { addDevice, addresses, connectDevices, loadAll, type Connected } from './devices.js';
import { cpuUsed, onQuestion, say } from './said.js';

const [count = 0, hosts = 0] = process.argv.slice(2).map(Number);
const air = new Air({ pace: 'fast' });
const all = addresses(count);
for (const address of all) await addDevice(air, address);
const devices: Connected[] = [];
for (let host = 0; host < hosts; host++) {
  const own = all.filter((_, index) => index % hosts === host);
  const socket = new VirtualSocket(air, { address: nthAddress('02:A1:B0', host + 1), maxLinks: own.length });
  devices.push(...(await connectDevices(openNoble, socket, own)));
}

onQuestion(async ({ what, times }) => {
  if (what !== 'roundTrip' && what !== 'notifications') return cpuUsed();
  await loadAll(devices, what, Number(times));
  return {};
});
say({});
