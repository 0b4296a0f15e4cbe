/** Which adapter a server uses by default, and what it logs, as far as it can be tested without a kernel. */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { HciSpec } from '../../src/ble/hci/spec.js';
import { openRadio, type NobleRadio } from '../../src/ble/noble/index.js';
import { systemTime } from '../../src/async/time.js';
import { Fixture, LIMITS, linkTo } from '../support/bluetooth-fixture.js';
import { withNativeModule } from '../support/native-module.js';
import { UserChannels } from '../support/user-channels.js';
import { left, right } from '../support/either.js';

const DOWN = false;
const UP = true;

describe('A server without an adapter in its flags', () => {
  let fixture: Fixture;
  let kernel: UserChannels;
  let radio: NobleRadio | undefined;
  let warnings: string[];

  const open = (hci: HciSpec = { kind: 'default' }) =>
    openRadio({ hci, limits: LIMITS, warn: (message) => warnings.push(message), time: systemTime })();
  const withKernel = <A>(task: () => Promise<A>): Promise<A> => withNativeModule(() => kernel.Native, task);
  const opened = async (hci?: HciSpec): Promise<NobleRadio> => (radio = right(await open(hci)));
  const plug = (...adapters: readonly boolean[]): void =>
    adapters.forEach((up, device) => kernel.plug(device, `00:1A:7D:DA:71:1${device}`, up));

  beforeEach(async () => {
    fixture = await Fixture.open();
    kernel = new UserChannels(fixture.air);
    warnings = [];
  });
  afterEach(async () => {
    await radio?.close();
    radio = undefined;
    kernel.end();
    await fixture.close();
  });

  it('has one that is down for itself, and logs nothing', () =>
    withKernel(async () => {
      plug(DOWN);
      await fixture.device();
      const on = await opened();
      expect((await linkTo(on)).ended).to.equal(undefined);
      expect([kernel.isUp(0), warnings]).to.deep.equal([true, []]);
      await on.close();
      expect(kernel.isUp(0), 'down again').to.equal(false);
    }));

  it('prefers one that is down, whatever its number', () =>
    withKernel(async () => {
      plug(UP, DOWN, DOWN);
      await opened();
      expect([0, 1, 2].map((device) => kernel.isUp(device))).to.deep.equal([true, true, false]);
      expect(warnings).to.deep.equal([]);
    }));

  for (const [what, hci] of [
    ['shares one that is up', { kind: 'default' }],
    ['shares the given one', { kind: 'native', device: 0 }],
  ] as const) {
    it(`${what}, and says what that costs and what to do`, () =>
      withKernel(async () => {
        kernel.shares = true;
        plug(UP, UP);
        await fixture.device();
        const on = await opened(hci);
        expect((await linkTo(on)).ended).to.equal(undefined);
        expect(warnings).to.have.length(1);
        expect(warnings[0])
          .to.match(/^hci0 is shared with the kernel/)
          .and.contain('sudo hciconfig hci0 down')
          .and.contain('--hci user:hci0');
      }));
  }

  it('shares one that is up where it may have none for itself', () =>
    withKernel(async () => {
      kernel.shares = true;
      kernel.permitted = false;
      plug(DOWN, UP);
      await opened();
      expect(warnings.join()).to.match(/^hci1 is shared/);
    }));

  it('reports what the first one lacks where none can be used', () =>
    withKernel(async () => {
      kernel.permitted = false;
      plug(DOWN, DOWN);
      expect(left(await open()))
        .to.have.property('reason')
        .that.contains('may not take the Bluetooth adapter hci0')
        .and.contains('sudo setcap cap_net_raw,cap_net_admin+eip');
    }));

  it('reports a machine without an adapter', () =>
    withKernel(async () => {
      expect(left(await open()))
        .to.have.property('reason')
        .that.contains('no Bluetooth adapter can be opened as default (this machine has none)');
    }));
});
