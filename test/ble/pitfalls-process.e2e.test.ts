import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openRadio } from '../../src/ble/noble/index.js';
import { AttDevice, Att } from '../support/att-device.js';
import { CHARACTERISTIC, DEVICE, LIMITS, useRig } from '../support/bluetooth-fixture.js';
import { notInstalled, withNativeModule } from '../support/native-module.js';
import { requireUnix } from '../support/require.js';
import { manualTime } from '../support/manual-time.js';
import { left, right } from '../support/either.js';

const PROGRAM = fileURLToPath(new URL('../support/radio-program.js', import.meta.url));

/** Errors of noble with reconnects, errors and its process, and their treatment here. */
describe('noble’s pitfalls with links and the process', () => {
  const rig = useRig();

  it('18. after a reconnect everything is discovered and subscribed again', async () => {
    const device = await AttDevice.on(rig.air, DEVICE);
    const values: string[] = [];
    const subscribed = async () => {
      const link = await rig.link();
      right(await link.subscribe(CHARACTERISTIC, (value) => values.push(value.toString()))());
      return link;
    };
    const first = await subscribed();
    device.notify(Buffer.from('one'));
    right(await first.read(CHARACTERISTIC)());
    await first.disconnect();
    await device.advertiseAgain();
    const second = await subscribed();
    device.notify(Buffer.from('two'));
    right(await second.read(CHARACTERISTIC)());
    expect(values).to.deep.equal(['one', 'two']);
    expect(device.requests.filter(([opcode]) => opcode === Att.readByGroup)).to.have.length(4);
  });

  it('19. a missing service or characteristic is an error with a message', async () => {
    const device = await AttDevice.on(rig.air, DEVICE);
    await rig.heard();
    const lackingProfile = { service: 'ff00', characteristics: ['ff02'] };
    for (const [profile, reason] of [
      [{ ...lackingProfile, service: '180f' }, 'the device has no service 180f'],
      [lackingProfile, 'the device has no characteristic ff02'],
    ] as const) {
      const error = left(await rig.radio.connect(DEVICE, [profile])());
      expect(error).to.deep.equal({ _tag: 'GattFailed', address: DEVICE, operation: 'discovery', reason });
      expect(rig.radio.lastAdvertisement(DEVICE), 'the old advertisement').to.equal(undefined);
      await device.host.disconnected();
      await device.advertiseAgain();
      await rig.heard();
    }
  });

  it('20. listeners on the process do not accumulate, and no warning of a leak is printed', async () => {
    const counts = () => ['SIGINT', 'exit'].map((event) => process.listenerCount(event));
    const before = counts();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    for (let instance = 0; instance < 12; instance++) await rig.fixture.radio();
    for (let instance = 0; instance < 12; instance++)
      await rig.device({ address: `D2:00:00:00:00:0${instance.toString(16)}` });
    await new Promise((resolve) => setImmediate(resolve));
    process.removeListener('warning', onWarning);
    expect(counts()).to.deep.equal(before);
    expect(warnings).to.deep.equal([]);
  });

  const run = async (how: string, meanwhile: (child: ReturnType<typeof spawn>) => void = () => undefined) => {
    const child = spawn(process.execPath, [PROGRAM, String(rig.fixture.port), how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.once('data', () => meanwhile(child));
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return { code, signal };
  };

  it('20. a process whose radio is closed ends by itself', async () => {
    await rig.device();
    expect(await run('close')).to.deep.equal({ code: 0, signal: null });
  });

  it('20. SIGINT is left to the program: noble does not end the process with 1', async function () {
    requireUnix(this, 'signals that a program may hear');
    await rig.device();
    expect(await run('stay', (child) => child.kill('SIGINT'))).to.deep.equal({
      code: null,
      signal: 'SIGINT',
    });
  });
});

/** The members of the native socket that noble uses, refused by the kernel. */
class ForbiddenSocket extends EventEmitter {
  bindRaw = () => 0;
  setFilter = () => undefined;
  stop = () => undefined;
  isDevUp = () => false;
  start = () =>
    void setImmediate(() => this.emit('error', Object.assign(new Error('EPERM'), { code: 'EPERM' })));
}

describe('An adapter of this machine', () => {
  const time = manualTime();
  const open = openRadio({
    hci: { kind: 'native', device: 3 },
    limits: LIMITS,
    warn: () => undefined,
    time,
  });

  const absent = class extends ForbiddenSocket {
    override bindRaw = (): never => {
      throw new Error('ENODEV, No such device');
    };
  };
  for (const [title, socket, ...reasons] of [
    [
      '21. without permission: AdapterUnavailable, with the exact fix',
      () => ForbiddenSocket,
      'setcap cap_net_raw+eip',
      'hci3',
    ],
    [
      '22. without the native module: AdapterUnavailable, with the command that installs it',
      notInstalled,
      'npm install @stoprocent/bluetooth-hci-socket',
    ],
    [
      '22. absent: AdapterUnavailable, with the reason of the system',
      () => absent,
      'ENODEV, No such device',
      'hci3',
    ],
  ] as const)
    it(title, async () => {
      const { log } = console;
      console.log = () => undefined;
      const error = left(await withNativeModule(socket, open));
      console.log = log;
      expect(error).to.include({ _tag: 'AdapterUnavailable' });
      for (const reason of reasons) expect(error).to.have.property('reason').that.contains(reason);
      expect(time.pending).to.equal(0);
    });

  it('is AdapterUnavailable at the limit if it does not answer', async () => {
    const silent = class extends ForbiddenSocket {
      override start = () => undefined;
    };
    const opening = withNativeModule(() => silent, open);
    await new Promise((resolve) => setImmediate(resolve));
    time.advance(10_000);
    expect(left(await opening))
      .to.have.property('reason')
      .that.contains('hci3 does not answer')
      .and.contains('sudo hciconfig hci3 up');
  });
});
