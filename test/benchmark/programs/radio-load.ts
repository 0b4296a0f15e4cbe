/** noble and bleno in one process with our radio between them: `radio-load DEVICES HOSTS`. */
import { nthAddress } from '../../../simulators/ble/device-address.js';
import { Air, VirtualSocket } from '../../../simulators/radio/index.js';
import { addDevices, connectDevices, loadAll, type Ask } from './devices.js';
import { serve } from './serve.js';

const [count = 0, hosts = 0] = process.argv.slice(2).map(Number);
const air = new Air({ pace: 'fast' });
const addresses = await addDevices(air, count);
const devices: Ask[] = [];
for (let host = 0; host < hosts; host++) {
  const ofHost = addresses.filter((_, index) => index % hosts === host);
  const address = nthAddress('02:A1:B0', host + 1);
  devices.push(
    ...(await connectDevices(new VirtualSocket(air, { address, maxLinks: ofHost.length }), ofHost)),
  );
}
serve({}, ({ what, times }) => loadAll(devices, what, Number(times)));
