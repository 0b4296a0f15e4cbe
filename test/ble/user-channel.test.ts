/** A server's adapter on the HCI user channel or by default, without a kernel. */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import type { HciSpec } from '../../src/ble/hci/spec.js';
import { openRadio, type NobleRadio } from '../../src/ble/noble/index.js';
import {
  DEVICE,
  JUST_OFF,
  LIMITS,
  RETRY_MS,
  linkTo,
  nextAdvertisement,
  useRig,
} from '../support/bluetooth-fixture.js';
import { SETTLE_MS } from '../../src/ble/settled-problem.js';
import { untilState } from '../support/bluetooth-proxy.js';
import { text } from '../support/hci-host.js';
import { withNativeModule } from '../support/native-module.js';
import { UserChannels } from '../support/user-channels.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';
import { left, right } from '../support/either.js';

const ADDRESS = '00:1A:7D:DA:71:13';
const RESET = '01 03 0c 00';
const DOWN = false;
const UP = true;
const DEFAULT: HciSpec = { kind: 'default' };

describe('An adapter for one server alone', () => {
  const rig = useRig();
  let kernel: UserChannels;
  let time: ManualTime;
  let radio: NobleRadio | undefined;
  let warnings: string[];

  const open = (hci: HciSpec = { kind: 'user', device: 1 }) =>
    openRadio({ hci, limits: LIMITS, warn: (message) => warnings.push(message), time })();
  const opened = async (hci?: HciSpec): Promise<NobleRadio> => (radio = right(await open(hci)));
  const plug = (...adapters: readonly boolean[]): void =>
    adapters.forEach((up, device) => kernel.plug(device, `00:1A:7D:DA:71:1${device}`, up));
  /** A test with the stand-in for the native module. */
  const withKernel = (title: string, test: () => Promise<void>) =>
    it(title, () => withNativeModule(() => kernel.Native, test));

  beforeEach(() => {
    kernel = new UserChannels(rig.air);
    time = manualTime();
    [radio, warnings] = [undefined, []];
  });
  afterEach(async () => {
    await radio?.close();
    kernel.end();
  });

  withKernel('is off while it is unplugged, and on again when it is back and down', async () => {
    kernel.plug(1, ADDRESS);
    await rig.device();
    const on = await opened();
    const link = await linkTo(on);
    kernel.unplug(1);
    time.advance(RETRY_MS);
    await untilState(on, 'poweredOff');
    expect(link.ended).to.deep.equal(JUST_OFF);
    for (const [prepare, remedy] of [
      [() => undefined, 'user:hci1 (ENODEV'],
      [() => kernel.plug(1, ADDRESS, true), 'sudo hciconfig hci1 down'],
      [() => kernel.unplug(1), 'user:hci1 (ENODEV'],
      [() => kernel.plug(1, ADDRESS, true), 'sudo hciconfig hci1 down'],
    ] as const) {
      prepare();
      time.advance(SETTLE_MS + RETRY_MS);
      expect(warnings.at(-1)).to.contain(remedy);
      expect(on.problem?.what).to.equal(warnings.at(-1));
    }
    kernel.bring(1, false);
    time.advance(RETRY_MS);
    await untilState(on, 'poweredOn');
    expect((await linkTo(on)).ended).to.equal(undefined);
    expect([warnings.length, on.problem]).to.deep.equal([4, undefined]);
  });

  withKernel('is no longer called missing once it is back, even if it does not answer', async () => {
    kernel.plug(1, ADDRESS);
    const on = await opened();
    kernel.unplug(1);
    time.advance(RETRY_MS);
    await untilState(on, 'poweredOff');
    time.advance(RETRY_MS + SETTLE_MS);
    expect(on.problem?.what).to.contain('ENODEV');
    kernel.plug(1, ADDRESS).detach();
    time.advance(RETRY_MS + SETTLE_MS);
    expect(on.problem?.what).to.match(/^user:hci1 does not answer: plug it in again/);
    expect(warnings).to.have.length(2);
  });

  withKernel('is set up again after a foreign reset as soon as it denies a link', async () => {
    const controller = kernel.plug(1, ADDRESS);
    await rig.device();
    const on = await opened();
    const link = await linkTo(on);
    controller.write(encodeCommand('reset', {}));
    const ended = link.disconnect();
    await untilState(on, 'poweredOff');
    await ended;
    time.advance(RETRY_MS);
    await untilState(on, 'poweredOn');
    const again = await linkTo(on);
    expect(right(await again.read('ff01')()).toString()).to.equal('value');
  });

  withKernel('leaves the limit of a connect to us when the device is out of range', async () => {
    kernel.plug(1, ADDRESS);
    await rig.device();
    const on = await opened();
    await nextAdvertisement(on);
    rig.air.setReception(DEVICE, { inRange: false });
    const connecting = on.connect(DEVICE, [])();
    await new Promise((resolve) => setImmediate(resolve));
    time.advance(LIMITS.connect);
    expect(left(await connecting)).to.include({ _tag: 'Timeout', operation: 'connect' });
  });

  for (const [state, prepare, ...reasons] of [
    [
      'is up',
      () => kernel.plug(1, ADDRESS, true),
      'sudo hciconfig hci1 down',
      'sudo btmgmt --index 1 power off',
    ],
    [
      'may not be used',
      () => (kernel.permitted = false),
      'sudo setcap cap_net_raw,cap_net_admin+eip',
      'NET_ADMIN',
    ],
    ['is not there', () => undefined, 'no Bluetooth adapter can be opened as user:hci1 (ENODEV'],
  ] as const) {
    withKernel(`is AdapterUnavailable, with the exact fix, if it ${state}`, async () => {
      prepare();
      const error = left(await open());
      expect(error).to.include({ _tag: 'AdapterUnavailable' });
      for (const reason of reasons) expect(error).to.have.property('reason').that.contains(reason);
    });
  }

  withKernel(
    'is an adapter that is down by default, which is reset before its use, and nothing is logged',
    async () => {
      plug(DOWN);
      await rig.device();
      const on = await opened(DEFAULT);
      const link = await linkTo(on);
      expect(right(await link.read('ff01')()).toString()).to.equal('value');
      expect(kernel.written.map(text).indexOf(RESET)).to.equal(0);
      expect(kernel.written.map(text).lastIndexOf(RESET), 'no other reset').to.equal(0);
      expect([kernel.isUp(0), warnings]).to.deep.equal([true, []]);
      await on.close();
      expect(kernel.isUp(0), 'down again').to.equal(false);
    },
  );

  withKernel('is the first adapter that is down by default', async () => {
    plug(UP, DOWN, DOWN);
    await opened(DEFAULT);
    expect([0, 1, 2].map((device) => kernel.isUp(device))).to.deep.equal([true, true, false]);
    expect(warnings).to.deep.equal([]);
  });

  for (const [state, hci] of [
    ['is shared by default if it is up', DEFAULT],
    ['is shared if it is named', { kind: 'native', device: 0 }],
  ] as const) {
    withKernel(`${state}, with a warning of the drawbacks and a fix`, async () => {
      kernel.shares = true;
      plug(UP, UP);
      await rig.device();
      const on = await opened(hci);
      expect((await linkTo(on)).ended).to.equal(undefined);
      expect(warnings).to.have.length(1);
      expect(warnings[0])
        .to.match(/^hci0 is shared with the kernel/)
        .and.contain('sudo hciconfig hci0 down')
        .and.contain('--hci user:hci0');
    });
  }

  withKernel('is shared by default if it is up and the user may take none', async () => {
    kernel.shares = true;
    kernel.permitted = false;
    plug(DOWN, UP);
    await opened(DEFAULT);
    expect(warnings.join()).to.match(/^hci1 is shared/);
  });

  withKernel(
    'is AdapterUnavailable by default, with the problem of the first adapter, if none can be used',
    async () => {
      kernel.permitted = false;
      plug(DOWN, DOWN);
      expect(left(await open(DEFAULT)))
        .to.have.property('reason')
        .that.contains('may not take the Bluetooth adapter hci0')
        .and.contains('sudo setcap cap_net_raw,cap_net_admin+eip');
    },
  );

  withKernel('is AdapterUnavailable by default on a machine without an adapter', async () => {
    expect(left(await open(DEFAULT)))
      .to.have.property('reason')
      .that.contains('no Bluetooth adapter can be opened as default (this machine has none)');
  });
});
