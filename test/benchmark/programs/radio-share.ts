/** noble and bleno, both as they are, in one process with our radio between them: whose code takes the time. */
import { Air, VirtualSocket } from '../../../simulators/radio/index.js';
import { withSocket } from '../../../src/ble/hci/stand-in.js';
import { openBareNoble, requireAsItIs } from './noble-hosts.js';
import { addresses, answerTo, CHARACTERISTIC, connectDevices, loadAll, SERVICE } from './devices.js';
import { profiled } from './profile.js';
import { onQuestion, say } from './said.js';

interface Bleno {
  readonly PrimaryService: new (options: object) => object;
  readonly Characteristic: new (options: object) => object;
  on(event: 'stateChange', listener: (state: string) => void): void;
  setServices(services: readonly object[]): void;
  startAdvertising(name: string, services: readonly string[]): void;
}

const air = new Air({ pace: 'fast' });
const [address = ''] = addresses(1);

// Its own socket, to the management channel of Linux, is the first that it opens.
requireAsItIs('bleno/lib/hci-socket/mgmt.js');
const bleno = withSocket(
  new VirtualSocket(air, { address, addressType: 'random' }),
  () => requireAsItIs('bleno/index.js') as Bleno,
);
let notify: (value: Buffer) => void = () => undefined;
bleno.on('stateChange', (state) => {
  if (state !== 'poweredOn') return;
  const characteristic = new bleno.Characteristic({
    uuid: CHARACTERISTIC,
    properties: ['write', 'notify'],
    onWriteRequest: (value: Buffer, _offset: number, _silent: boolean, done: (status: number) => void) => {
      done(0);
      answerTo(value, notify);
    },
    onSubscribe: (_size: number, update: (value: Buffer) => void) => (notify = update),
  });
  bleno.setServices([new bleno.PrimaryService({ uuid: SERVICE, characteristics: [characteristic] })]);
  bleno.startAdvertising('', [SERVICE]);
});
const host = new VirtualSocket(air, { address: '02:A1:B0:00:00:01' });
const devices = await connectDevices(openBareNoble, host, [address]);

const isOurs = (url: string): boolean => url.includes('/dist/simulators/') || url.includes('/dist/src/');

onQuestion(({ what, times }) =>
  what === 'roundTrip' || what === 'notifications'
    ? profiled(() => loadAll(devices, what, Number(times)), isOurs)
    : {},
);
say({});
