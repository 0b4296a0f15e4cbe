/** A virtual device on an adapter of this machine, tested with a simulated kernel. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { fromDeviceError } from '../../simulators/control/errors.js';
import {
  Bench as AdapterBench,
  serveBenchControl,
  type CountedKind,
} from '../../simulators/control/index.js';
import { Trace } from '../../simulators/radio/index.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from '../../src/protocols/godice/index.js';
import { systemTime } from '../../src/async/time.js';
import { Fixture, from, nextAdvertisement, signalled } from '../support/bluetooth-fixture.js';
import { post, request } from '../support/client.js';
import { silent } from '../support/log.js';
import { notInstalled, withNativeModule } from '../support/native-module.js';
import { UserChannels } from '../support/user-channels.js';
import { left, right } from '../support/either.js';

const ADDRESS = '00:1A:7D:DA:71:13';
const OTHER = '00:1A:7D:DA:71:14';
const PROFILE = [{ service: NUS_SERVICE, characteristics: [NUS_NOTIFY, NUS_WRITE] }];

describe('A virtual device on an adapter', () => {
  let fixture: Fixture;
  let kernel: UserChannels;
  let device: AdapterBench | undefined;
  let warned: (cause: string) => void;

  const options = (kind: CountedKind, adapter?: number) => ({
    ...{ kind, adapter, seed: 1, trace: new Trace() },
    warn: (cause: string) => warned(cause),
  });
  const withKernel = <A>(task: () => Promise<A>): Promise<A> => withNativeModule(() => kernel.Native, task);
  const open = async (kind: CountedKind, adapter?: number): Promise<AdapterBench> =>
    (device = right(await withKernel(AdapterBench.open(options(kind, adapter)))));
  /** The device as its control API shows it. */
  const shown = (on: AdapterBench) => on.list().map((listed) => on.describe(listed))[0];
  const becomes = (on: AdapterBench, connected: boolean): Promise<void> =>
    new Promise((resolve) => {
      const stop = on.listen(() => {
        if (shown(on)?.['connected'] !== connected) return;
        stop();
        resolve();
      });
    });

  beforeEach(async () => {
    fixture = await Fixture.open();
    kernel = new UserChannels(fixture.air);
    warned = (cause) => expect.fail(cause);
    kernel.plug(1, ADDRESS);
    kernel.plug(0, OTHER);
  });
  afterEach(async () => {
    await device?.close();
    device = undefined;
    kernel.end();
    await fixture.close();
  });

  for (const [kind, name] of [
    ['dice', /^GoDice_DA7113_[RGBYOK]_v04$/],
    ['pixels', /^Pixel7dda7113$/],
    ['clock', /^Qingping Alarm Clock$/],
  ] as const) {
    it(`has the adapter’s address, and the name of a ${kind} with that address`, async () => {
      const device = shown(await open(kind, 1));
      expect(device).to.include({ address: ADDRESS, kind });
      expect(device).to.have.property('name').that.matches(name);
    });
  }

  /** A server's radio, and its link to the device. */
  const linkedTo = async () => {
    const radio = await fixture.radio();
    await nextAdvertisement(radio, from(ADDRESS));
    const link = right(await radio.connect(ADDRESS, PROFILE)());
    return { radio, link, ended: new Promise((resolve) => link.onEnd(resolve)) };
  };

  it('is found, connected and subscribed to by a server’s radio, and rolls by an action of the control API', async () => {
    const on = await open('dice', 1);
    const options = { bench: on, address: '127.0.0.1', port: 0, time: systemTime, log: silent };
    const control = right(await serveBenchControl(options)());
    const { link } = await linkedTo();
    const rolled = signalled<Buffer>();
    right(await link.subscribe(NUS_NOTIFY, rolled.fulfil)());
    const done = await post(control.port, `/devices/${ADDRESS}/actions`, { type: 'roll' });
    expect(done).to.have.property('status', 200);
    // `R`: a roll begins (docs/godice-protocol.md §4).
    expect((await rolled.promise).toString()).to.equal('R');
    expect((await request(control.port, '/devices')).body).to.deep.equal([
      {
        ...{ address: ADDRESS, kind: 'dice', name: shown(on)?.['name'] },
        ...{ connected: true, advertising: false },
      },
    ]);
    expect((await request(control.port, '/air')).status).to.equal(404);
    const trace = await fetch(`http://127.0.0.1:${control.port}/trace`);
    expect(await trace.text()).to.match(/^btsnoop\0/);
    expect((await request(control.port, '/trace/packets?since=0&limit=1')).body).to.have.nested.property(
      'packets[0].summary',
      `New Index, hci1, ${ADDRESS}`,
    );
    await control.close();
  });

  it('returns to its start at a reset, which ends its link and keeps its adapter from other programs', async () => {
    const on = await open('dice', 1);
    const { ended } = await linkedTo();
    right(on.list()[0]?.device.act({ type: 'battery', level: 7 }) ?? E.left('no device'));
    expect(shown(on)).to.include({ connected: true, battery_level: 7 });
    right(await withNativeModule(() => expect.fail('another socket was asked for'), on.reset()));
    await ended;
    expect(shown(on)).to.include({ connected: false, advertising: true, battery_level: 100 });
  });

  it('comes up on the same adapter at a reset after one that found no adapter', async () => {
    kernel.bring(0, true);
    const on = await open('dice');
    kernel.bring(0, false);
    kernel.unplug(1);
    const failure = fromDeviceError(left(await withKernel(on.reset())));
    expect(failure).to.have.property('code', 'adapter_failed');
    expect(failure).to.have.property('message').that.contains('no Bluetooth adapter can be opened as hci1');
    expect(on.list()).to.deep.equal([]);
    kernel.plug(1, ADDRESS);
    right(await withKernel(on.reset()));
    expect(shown(on)).to.include({ address: ADDRESS });
  });

  it('reports a device that does not close in order, resets it anyway, and releases its adapter', async () => {
    const on = await open('dice', 1);
    const jam = (): void => {
      const { device: die } = on.list()[0] ?? expect.fail('no device');
      const close = die.close.bind(die);
      die.close = () => {
        close();
        throw new Error('it jams');
      };
    };
    jam();
    expect(fromDeviceError(left(await withKernel(on.reset())))).to.include({
      code: 'device_failed',
      message: `the device ${ADDRESS} did not close in order: Error: it jams`,
    });
    expect(shown(on)).to.include({ address: ADDRESS, advertising: true });
    right(await withKernel(on.reset()));
    expect(shown(on)).to.include({ address: ADDRESS, advertising: true });
    jam();
    await on.close();
    expect(kernel.isUp(1)).to.equal(false);
  });

  it('loses its link when the adapter is unplugged, and can be connected again when the adapter is back and down', () =>
    withKernel(async () => {
      const on = await open('dice', 1);
      const connected = becomes(on, true);
      const { radio } = await linkedTo();
      await connected;
      const alone = becomes(on, false);
      const refused = (): Promise<string> => new Promise((resolve) => (warned = resolve));
      const gone = refused();
      kernel.unplug(1);
      await alone;
      expect(await gone).to.contain('no Bluetooth adapter can be opened as hci1 (ENODEV');
      const taken = refused();
      kernel.plug(1, ADDRESS, true);
      expect(await taken).to.contain('sudo hciconfig hci1 down');
      kernel.bring(1, false);
      await nextAdvertisement(radio, from(ADDRESS));
      right(await radio.connect(ADDRESS, PROFILE)());
    }));

  const UP = 'hci0 is up, so that no program can have it to itself: run `sudo hciconfig hci0 down`';
  for (const [missing, prepare, adapter, reason] of [
    ['such an adapter', () => undefined, 7, 'no Bluetooth adapter can be opened as hci7 (ENODEV'],
    ['an adapter that is down', () => kernel.bring(0, true), 0, UP],
    ['any adapter that is down', () => [0, 1].forEach((number) => kernel.bring(number, true)), undefined, UP],
    [
      'any adapter',
      () => [0, 1].forEach((number) => kernel.unplug(number)),
      undefined,
      'no Bluetooth adapter can be opened as default (this machine has none): plug one in',
    ],
    ['permission', () => (kernel.permitted = false), 0, 'sudo setcap cap_net_raw,cap_net_admin+eip'],
  ] as const) {
    it(`reports a solution without ${missing}`, async () => {
      prepare();
      const cause = left(await withKernel(AdapterBench.open(options('dice', adapter))));
      expect(cause).to.contain(reason);
    });
  }

  for (const adapter of [0, undefined]) {
    it(`reports a solution without the native module, adapter ${adapter ?? 'default'}`, async () => {
      const cause = left(await withNativeModule(notInstalled, AdapterBench.open(options('dice', adapter))));
      expect(cause).to.contain('npm install @stoprocent/bluetooth-hci-socket');
    });
  }
});
