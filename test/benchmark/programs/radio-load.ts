/** noble and bleno in one process with our radio between them: `radio-load DEVICES HOSTS`. */
import { Air, VirtualSocket } from '../../../simulators/radio/index.js';
import { nthAddress } from '../../../simulators/address.js';
import { addDevice, addresses, connectDevices, loadAll, type Connected } from './devices.js';
import { profiled } from './profile.js';
import { cpuUsed, onQuestion, say } from './said.js';

const [count = 0, hosts = 0] = process.argv.slice(2).map(Number);
const air = new Air({ pace: 'fast' });
const all = addresses(count);
for (const address of all) await addDevice(air, address);
const devices: Connected[] = [];
for (let host = 0; host < hosts; host++) {
  const own = all.filter((_, index) => index % hosts === host);
  const socket = new VirtualSocket(air, { address: nthAddress('02:A1:B0', host + 1), maxLinks: own.length });
  devices.push(...(await connectDevices(socket, own)));
}

const isOurs = (url: string): boolean => url.includes('/dist/simulators/') || url.includes('/dist/src/');

onQuestion(async ({ what, times, profile }) => {
  if (what !== 'roundTrip' && what !== 'notifications') return cpuUsed();
  const work = (): Promise<void> => loadAll(devices, what, Number(times));
  if (profile === true) return profiled(work, isOurs);
  await work();
  return {};
});
say({});
