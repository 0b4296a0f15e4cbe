/** Operations on a link that BlueZ has made. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { BATTERY, CHARACTERISTIC } from '../../../src/ble/bluez/objects.js';
import type { BleError, Link } from '../../../src/ble/ports.js';
import {
  A,
  B,
  LIMITS,
  NOTIFYING,
  PROFILE,
  SERVICE,
  SERVICES,
  useBluez,
  WRITABLE,
} from '../../support/bluez-fixture.js';
import { left, right } from '../../support/either.js';
import { bluezError } from '../../support/bluez-values.js';
import { otherTurns } from '../../support/hci-host.js';

const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
const attFailure = (code: string) => bluezError('Failed', `Operation failed with ATT error: 0x${code}`);

describe('A link by BlueZ', () => {
  const rig = useBluez();
  /** Subscribes, and collects the values. */
  const subscribe = async (link: Link, uuid = NOTIFYING as string): Promise<string[]> => {
    const values: string[] = [];
    right(await link.subscribe(uuid, (value) => values.push(value.toString('hex')))());
    return values;
  };
  const notify = async (...values: readonly number[]): Promise<void> => {
    for (const value of values) rig().bluez.notify(A, NOTIFYING, bytes(value));
    await otherTurns();
  };
  const setValue = (value: Buffer): void =>
    rig().bluez.change(rig().bluez.characteristic(A, NOTIFYING), CHARACTERISTIC, { Value: value });
  const refused = (operation: string, reason: string, error?: number): BleError => ({
    ...{ _tag: 'GattFailed', address: A, operation, reason, ...(error !== undefined && { error }) },
  });

  it('delivers every notification once and in order, equal ones too', async () => {
    const values = await subscribe(await rig().link());
    const sent = [...Array(50).keys(), 7, 7, 7];
    await notify(...sent);
    expect(values).to.deep.equal(sent.map((value) => bytes(value).toString('hex')));
  });

  it('passes the defect of an operation on at once, and goes on', async () => {
    const link = await rig().link();
    const begun = (): never => {
      throw new Error('a defect');
    };
    const write = link.write(WRITABLE, bytes(1), false, begun)();
    expect(await Promise.race([write.catch(String), otherTurns()])).to.equal('Error: a defect');
    right(await link.write(WRITABLE, bytes(2))());
    expect([link.ended, rig().bluez.written]).to.deep.equal([undefined, ['s request 02']]);
  });

  it('delivers the notifications of its own device alone', async () => {
    const { bluez, radio } = rig();
    bluez.device(B, { RSSI: -60 }, SERVICES);
    await rig().inRange();
    for (const address of [A, B]) bluez.export(address);
    const first = right(await radio.connect(A, PROFILE)());
    const second = right(await radio.connect(B, PROFILE)());
    const values = [await subscribe(first), await subscribe(second)];
    for (const [address, value] of [
      [A, 1],
      [B, 2],
    ] as const)
      bluez.notify(address, NOTIFYING, bytes(value));
    await otherTurns();
    expect(values).to.deep.equal([['01'], ['02']]);
  });

  it('delivers a value that comes before the reply to the subscription', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.hold('StartNotify');
    const subscribed = subscribe(link);
    await otherTurns();
    setValue(bytes(1));
    bluez.release('StartNotify');
    expect(await subscribed).to.deep.equal(['01']);
  });

  it('delivers no value of a characteristic without a subscription, or after a failed one', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    const values: Buffer[] = [];
    setValue(bytes(1));
    await otherTurns();
    bluez.fault('StartNotify', attFailure('80'));
    const outcome = await link.subscribe(NOTIFYING, (value) => values.push(value))();
    expect(left(outcome)).to.deep.equal(
      refused('subscription', 'the device refused: ATT error (0x80)', 0x80),
    );
    setValue(bytes(2));
    await otherTurns();
    expect(values).to.deep.equal([]);
  });

  it('is not subscribed after the end of an earlier link, and then gets each notification once', async () => {
    const { bluez, radio } = rig();
    await subscribe(await rig().link());
    bluez.drop(A);
    await otherTurns();
    const link = right(await radio.connect(A, PROFILE)());
    expect(bluez.objects.get(bluez.characteristic(A, NOTIFYING))?.[CHARACTERISTIC]?.['Notifying']).to.equal(
      false,
    );
    const values = await subscribe(link);
    await notify(1, 2);
    expect(values).to.deep.equal(['01', '02']);
  });

  it('keeps one subscription when its user subscribes again', async () => {
    const link = await rig().link();
    await subscribe(link);
    const values = await subscribe(link);
    await notify(1);
    expect(values).to.deep.equal(['01']);
  });

  it('reads a value, which it does not deliver as a notification', async () => {
    const link = await rig().link();
    const values = await subscribe(link);
    expect(right(await link.read(NOTIFYING)()).toString()).to.equal('value');
    await notify(1);
    expect(right(await link.read(WRITABLE)()).toString()).to.equal('value');
    expect(values).to.deep.equal(['01']);
    expect(rig().calls()).to.deep.equal(['StartNotify', 'ReadValue', 'ReadValue']);
  });

  it('delivers notifications during a read, but not its echo, which comes last', async () => {
    const { bluez } = rig();
    const services = { ff00: [{ uuid: NOTIFYING, flags: ['read', 'notify'], value: bytes(1) }] };
    const link = await rig().link(services, []);
    const values = await subscribe(link);
    bluez.hold('ReadValue');
    const read = link.read(NOTIFYING)();
    await notify(1, 2);
    bluez.release('ReadValue');
    expect(right(await read)).to.deep.equal(bytes(1));
    await notify(3);
    expect(values).to.deep.equal(['01', '02', '03']);
  });

  it('reads a value of which it has no subscription, while another program makes BlueZ report it', async () => {
    const link = await rig().link();
    rig().bluez.hold('ReadValue');
    const read = link.read(NOTIFYING)();
    await otherTurns();
    setValue(bytes(9));
    rig().bluez.release('ReadValue');
    expect(right(await read).toString()).to.equal('value');
  });

  it('delivers notifications during a read that fails, and those of other characteristics at once', async () => {
    const { bluez } = rig();
    const services = { ff00: [...(SERVICES['ff00'] ?? []), { uuid: 'ff03', flags: ['notify'] }] };
    const link = await rig().link(services);
    const values = await subscribe(link);
    const others = await subscribe(link, 'ff03');
    bluez.hold('ReadValue');
    bluez.fault('ReadValue', bluezError('NotPermitted', 'Read not permitted'));
    const read = link.read(NOTIFYING)();
    await notify(1, 2);
    bluez.notify(A, 'ff03', bytes(9));
    await otherTurns();
    expect(others).to.deep.equal(['09']);
    bluez.release('ReadValue');
    expect(left(await read)).to.deep.include({ operation: 'read', error: 0x02 });
    expect(values).to.deep.equal(['01', '02']);
  });

  it('writes with response where the characteristic has it, and without if its user asks', async () => {
    const services = {
      ff00: [...(SERVICES['ff00'] ?? []), { uuid: 'ff03', flags: ['write-without-response'] }],
    };
    const link = await rig().link(services);
    const begun: string[] = [];
    right(await link.write(WRITABLE, bytes(1), false, () => begun.push('begun'))());
    right(await link.write(WRITABLE, bytes(2), true)());
    right(await link.write('ff03', bytes(3))());
    expect(rig().bluez.written).to.deep.equal(['s request 01', 's command 02', 's command 03']);
    expect(begun).to.deep.equal(['begun']);
  });

  it('writes no more without response than one packet holds', async () => {
    const link = await rig().link();
    expect(link.mtu).to.equal(256);
    right(await link.write(WRITABLE, Buffer.alloc(253), true)());
    const reason = 'a write without response has room for 253 octets on this link';
    expect(left(await link.write(WRITABLE, Buffer.alloc(254), true)())).to.deep.equal(
      refused('write', reason),
    );
    right(await link.write(WRITABLE, Buffer.alloc(254))());
    expect(rig().bluez.written).to.have.length(2);
  });

  it('leaves sizes to a BlueZ that does not tell its own', async () => {
    rig().bluez.hasMtu = false;
    const link = await rig().link();
    expect(link.mtu).to.equal(null);
    right(await link.write(WRITABLE, Buffer.alloc(254), true)());
  });

  it('says why the device refuses, and goes on', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.fault('WriteValue', bluezError('InvalidArguments', 'Invalid Length'));
    const reason = 'the device refused: invalid length (0x0D)';
    expect(left(await link.write(WRITABLE, bytes(1))())).to.deep.equal(refused('write', reason, 0x0d));
    bluez.fault('WriteValue', bluezError('NotSupported', 'Operation is not supported'));
    expect(left(await link.write(WRITABLE, bytes(1))())).to.deep.equal(
      refused('write', 'BlueZ reports Operation is not supported'),
    );
    right(await link.write(WRITABLE, bytes(1))());
    expect(link.ended).to.equal(undefined);
  });

  it('tries again while another program keeps the characteristic busy', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    for (const name of ['InProgress', 'Failed']) bluez.fault('WriteValue', bluezError(name, 'In Progress'));
    const written = link.write(WRITABLE, bytes(1))();
    await otherTurns();
    for (const ms of [19, 1, 19]) await rig().time.pass(ms);
    expect(rig().calls()).to.deep.equal(['WriteValue', 'WriteValue']);
    await rig().time.pass(1);
    right(await written);
    expect(bluez.written).to.deep.equal(['s request 01']);
  });

  for (const [name, text] of [
    ['Failed', 'Not connected'],
    ['NotConnected', 'Not Connected'],
    ['Failed', 'Operation failed with ATT error: 0x0e'],
  ] as const)
    it(`fails with the loss of the link that follows ${name} ${text}`, async () => {
      const { bluez } = rig();
      const link = await rig().link();
      bluez.fault('WriteValue', bluezError(name, text));
      const written = link.write(WRITABLE, bytes(1))();
      await rig().pass(400);
      bluez.drop(A);
      expect(left(await written)).to.deep.equal({ _tag: 'LinkLost', address: A, reason: null });
    });

  it('takes an unlikely error of a device that stays for its refusal', async () => {
    const link = await rig().link();
    rig().bluez.fault('WriteValue', attFailure('0e'));
    const written = link.write(WRITABLE, bytes(1))();
    await rig().pass(500);
    const reason = 'the device refused: unlikely error (0x0E)';
    expect(left(await written)).to.deep.equal(refused('write', reason, 0x0e));
    expect(link.ended).to.equal(undefined);
  });

  it('subscribes once an earlier subscription has ended', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.foreignSubscription(A, NOTIFYING, true);
    await otherTurns();
    const subscribed = subscribe(link);
    await rig().pass(900);
    expect(rig().calls()).not.to.include('StartNotify');
    bluez.foreignSubscription(A, NOTIFYING, false);
    const values = await subscribed;
    await notify(1);
    expect(values).to.deep.equal(['01']);
  });

  it('refuses a subscription beside that of another program, to which it leaves the device', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.foreignSubscription(A, NOTIFYING, true);
    await otherTurns();
    const subscribed = link.subscribe(NOTIFYING, () => undefined)();
    await rig().pass(1_000);
    const error = left(await subscribed);
    expect(error).to.include({ _tag: 'GattFailed', operation: 'subscription' });
    expect(error)
      .to.have.property('reason')
      .that.matches(/another program.*bluetoothctl.*twice.*end that program/);
    await link.disconnect();
    expect(rig().calls()).not.to.include.members(['StartNotify']).and.not.include.members(['Disconnect']);
  });

  it('leaves the device to another program, even if it has subscribed to something else', async () => {
    const { bluez } = rig();
    const others = [...(SERVICES[SERVICE] ?? []), { uuid: 'ff03', flags: ['notify'] }];
    const link = await rig().link({ [SERVICE]: others });
    bluez.foreignSubscription(A, NOTIFYING, true);
    await otherTurns();
    const refusal = link.subscribe(NOTIFYING, () => undefined)();
    await rig().pass(1_000);
    expect(left(await refusal)._tag).to.equal('GattFailed');
    right(await link.subscribe('ff03', () => undefined)());
    await link.disconnect();
    expect(rig().calls()).not.to.include('Disconnect');
  });

  it('refuses operations on characteristics that it lacks, or that cannot notify', async () => {
    const link = await rig().link();
    expect(left(await link.read('beef')())).to.deep.equal(
      refused('read', 'characteristic beef was not discovered'),
    );
    expect(left(await link.subscribe(WRITABLE, () => undefined)())).to.deep.equal(
      refused('subscription', 'characteristic ff02 cannot notify'),
    );
    expect([link.notifies('beef'), link.notifies(WRITABLE)]).to.deep.equal([false, false]);
    expect(rig().calls()).to.deep.equal([]);
  });

  it('subscribes to indications', async () => {
    const services = { ff00: [{ uuid: NOTIFYING, flags: ['indicate'] }] };
    const link = await rig().link(services, []);
    expect(link.notifies(NOTIFYING)).to.equal(false);
    const values = await subscribe(link);
    await notify(1);
    expect(values).to.deep.equal(['01']);
  });

  it('does not know the signal', async () => {
    const link = await rig().link();
    expect(right(await link.rssi())).to.equal(null);
    rig().bluez.drop(A);
    await otherTurns();
    expect(left(await link.rssi())._tag).to.equal('LinkLost');
  });

  it('runs operations one after another, each within its limit, and ends with the first that exceeds it', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.hold('WriteValue');
    const outcomes = Promise.all([link.write(WRITABLE, bytes(1))(), link.write(WRITABLE, bytes(2))()]);
    await rig().pass(LIMITS.gatt - 100);
    const writes = rig()
      .calls()
      .filter((member) => member === 'WriteValue');
    expect([writes, link.ended]).to.deep.equal([['WriteValue'], undefined]);
    await rig().pass(100);
    const timeout = { _tag: 'Timeout', address: A, operation: 'write', ms: LIMITS.gatt };
    expect((await outcomes).map(left)).to.deep.equal([timeout, timeout]);
    expect(rig().calls()).to.include('Disconnect');
  });

  it('gives a subscription the limit of discovery', async () => {
    const link = await rig().link();
    rig().bluez.fault('StartNotify');
    const outcome = link.subscribe(NOTIFYING, () => undefined)();
    await rig().pass(LIMITS.discover);
    expect(left(await outcome)).to.deep.equal({
      ...{ _tag: 'Timeout', address: A, operation: 'subscription', ms: LIMITS.discover },
    });
  });

  describe('to a device whose battery service BlueZ hides', () => {
    const battery = async (): Promise<Link> => {
      const device = await rig().inRange({});
      device.battery = 99;
      const opened = await rig().radio.connect(A, [{ service: '180f', characteristics: ['2a19'] }])();
      return right(opened);
    };

    it('reads and reports the level that BlueZ knows', async () => {
      const { bluez } = rig();
      const link = await battery();
      expect([right(await link.read('2a19')()), link.notifies('2a19')]).to.deep.equal([bytes(99), true]);
      const values = await subscribe(link, '2a19');
      bluez.change(bluez.pathOf(A), BATTERY, { Percentage: 64 });
      bluez.change(bluez.pathOf(A), BATTERY, { Source: 'GATT' });
      await otherTurns();
      expect(values).to.deep.equal(['40']);
    });

    it('refuses to write it', async () => {
      const link = await battery();
      const written = link.write('2a19', bytes(1))();
      await rig().pass(500);
      expect(left(await written)._tag).to.equal('GattFailed');
    });
  });

  it('prefers the battery service of the device', async () => {
    const level = { uuid: '2a19', flags: ['read', 'notify'], value: bytes(98) };
    const device = await rig().inRange({ '180f': [level] });
    device.battery = 99;
    const link = right(await rig().radio.connect(A, [{ service: '180f', characteristics: ['2a19'] }])());
    expect(right(await link.read('2a19')())).to.deep.equal(bytes(98));
  });
});
