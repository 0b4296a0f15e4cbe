/** A server's adapter by the HCI user channel, as far as it can be seen without a kernel. */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { openRadio, type NobleRadio } from '../../src/ble/noble/index.js';
import {
  Fixture,
  DEVICE,
  LIMITS,
  PROFILE,
  RETRY_MS,
  nextAdvertisement,
  linkTo,
} from '../support/bluetooth-fixture.js';
import { untilState } from '../support/bluetooth-proxy.js';
import { text } from '../support/hci-host.js';
import { withNativeModule } from '../support/native-module.js';
import { UserChannels } from '../support/user-channels.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';
import { left, right } from '../support/either.js';

const ADDRESS = '00:1A:7D:DA:71:13';
const RESET = '01 03 0c 00';

describe('An adapter for one server alone', () => {
  let fixture: Fixture;
  let kernel: UserChannels;
  let time: ManualTime;
  let radio: NobleRadio | undefined;
  let warnings: string[];

  const open = () =>
    openRadio({
      hci: { kind: 'user', device: 1 },
      limits: LIMITS,
      warn: (message) => warnings.push(message),
      time,
    })();
  const opened = async (): Promise<NobleRadio> => (radio = right(await open()));
  const withKernel = <A>(task: () => Promise<A>): Promise<A> => withNativeModule(() => kernel.Native, task);

  beforeEach(async () => {
    fixture = await Fixture.open();
    kernel = new UserChannels(fixture.air);
    time = manualTime();
    warnings = [];
  });
  afterEach(async () => {
    await radio?.close();
    radio = undefined;
    kernel.end();
    await fixture.close();
  });

  it('hears, connects and talks, the controller reset before', () =>
    withKernel(async () => {
      kernel.plug(1, ADDRESS);
      await fixture.device();
      const link = await linkTo(await opened());
      expect(right(await link.read('ff01')()).toString()).to.equal('value');
      const written = kernel.written.map(text);
      expect(written[0]).to.equal(RESET);
      expect(written.filter((packet) => packet === RESET)).to.have.length(1);
      expect(warnings).to.deep.equal([]);
    }));

  it('is off without links while it is unplugged, and on again when it is back and down', () =>
    withKernel(async () => {
      kernel.plug(1, ADDRESS);
      await fixture.device();
      const on = await opened();
      const link = await linkTo(on);
      kernel.unplug(1);
      time.advance(RETRY_MS);
      await untilState(on, 'poweredOff');
      expect(link.ended).to.deep.equal({ _tag: 'AdapterOff', state: 'poweredOff' });
      time.advance(RETRY_MS);
      expect(warnings.at(-1)).to.contain('user:hci1 (ENODEV');
      kernel.plug(1, ADDRESS, true);
      time.advance(RETRY_MS);
      expect(warnings.at(-1)).to.contain('sudo hciconfig hci1 down');
      kernel.bring(1, false);
      time.advance(RETRY_MS);
      await untilState(on, 'poweredOn');
      expect((await linkTo(on)).ended).to.equal(undefined);
      expect(warnings, 'one for each reason').to.have.length(2);
    }));

  it('is set up again after a foreign reset as soon as it denies a link', () =>
    withKernel(async () => {
      const controller = kernel.plug(1, ADDRESS);
      await fixture.device();
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
    }));

  it('in vain sought for a device out of reach, it leaves the limit to us', () =>
    withKernel(async () => {
      kernel.plug(1, ADDRESS);
      await fixture.device();
      const on = await opened();
      await nextAdvertisement(on);
      fixture.air.setReception(DEVICE, { inRange: false });
      const connecting = on.connect(DEVICE, PROFILE)();
      await new Promise((resolve) => setImmediate(resolve));
      time.advance(LIMITS.connect);
      expect(left(await connecting)).to.include({ _tag: 'Timeout', operation: 'connect' });
    }));

  for (const [what, prepare, ...reasons] of [
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
    it(`is AdapterUnavailable, with the exact fix, if it ${what}`, () =>
      withKernel(async () => {
        prepare();
        const error = left(await open());
        expect(error).to.include({ _tag: 'AdapterUnavailable' });
        for (const reason of reasons) expect(error).to.have.property('reason').that.contains(reason);
      }));
  }
});
