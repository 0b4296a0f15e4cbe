/** Links that BlueZ makes, from the request to the services of the device. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { DEVICE } from '../../../src/ble/bluez/objects.js';
import type { BleError } from '../../../src/ble/ports.js';
import {
  A,
  B,
  LIMITS,
  PROFILE,
  SERVICE,
  SERVICES,
  useBluez,
  WRITABLE,
  type BluezRig,
} from '../../support/bluez-fixture.js';
import { JUST_OFF } from '../../support/bluetooth-fixture.js';
import { left, right } from '../../support/either.js';
import { bluezError } from '../../support/bluez-values.js';
import { otherTurns } from '../../support/hci-host.js';

describe('The radio on BlueZ connects', () => {
  const rig = useBluez();
  const connect = (profile = PROFILE, signal?: AbortSignal) => rig().radio.connect(A, profile, signal)();
  const timeout: BleError = { _tag: 'Timeout', address: A, operation: 'connect', ms: LIMITS.connect };

  it('a device with its services, on a bus connection that the link alone has', async () => {
    const link = await rig().link();
    const path = '/org/bluez/hci0/dev_D1_CE_00_00_00_01';
    const properties = "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties'";
    expect(rig().bluez.rules).to.deep.equal([
      "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager'",
      `${properties},path_namespace='${path}'`,
      `type='signal',sender='org.bluez',interface='org.bluez.Device1',path='${path}'`,
    ]);
    expect(rig().bluez.clients.size).to.equal(2);
    expect([link.address, link.ended, link.notifies('ff01'), link.notifies('ff02')]).to.deep.equal([
      ...[A, undefined, true, false],
    ]);
    const ended = link.disconnect();
    await rig().pass(2_000);
    await ended;
    expect(rig().bluez.clients.size).to.equal(1);
  });

  it('no device that it has not heard, and tells BlueZ nothing of it', async () => {
    const { bluez } = rig();
    bluez.add(bluez.pathOf(A), { [DEVICE]: { Address: A, Name: 'die', Connected: false } });
    await rig().listen();
    expect(left(await connect())).to.deep.equal({ _tag: 'NotFound', address: A });
    expect(bluez.calls).not.to.include('Connect');
  });

  it('nothing while its adapter is off, or after close', async () => {
    const { bluez, radio } = rig();
    await rig().inRange();
    bluez.power(false);
    await otherTurns();
    expect(left(await connect())).to.deep.equal(JUST_OFF);
    await radio.close();
    expect(left(await connect())).to.deep.equal({ _tag: 'Closed', address: A });
    expect(bluez.calls).not.to.include('Connect');
  });

  it('no device without a bus connection for it', async () => {
    await rig().inRange();
    rig().bluez.refusal = bluezError('org.freedesktop.DBus.Error.LimitsExceeded', 'too many connections');
    const error = left(await connect());
    expect(error).to.deep.include({ _tag: 'ConnectFailed', reason: 'BlueZ reports too many connections' });
  });

  for (const [name, text, error] of [
    ['org.freedesktop.DBus.Error.UnknownObject', 'Method "Connect" doesn\'t exist', 'NotFound'],
    ['org.freedesktop.DBus.Error.ServiceUnknown', 'The name org.bluez was not provided', 'AdapterOff'],
    ['org.freedesktop.DBus.Error.AccessDenied', 'Rejected send message', 'AdapterOff'],
    ['Failed', 'Too many links', 'LinkLimit'],
    ['Failed', 'le-connection-concurrent-connection-limit', 'LinkLimit'],
    ['Failed', 'le-connection-refused', 'ConnectFailed'],
    ['NotReady', 'Resource Not Ready', 'AdapterOff'],
  ] as const)
    it(`nothing at the failure ${text}, which is ${error}`, async () => {
      await rig().inRange();
      rig().bluez.fault('Connect', bluezError(name, text));
      expect(left(await connect())._tag).to.equal(error);
      await otherTurns();
      expect(rig().bluez.clients.size).to.equal(1);
    });

  it('a silent device no longer than its limit, ends the attempt at BlueZ, and makes the next', async () => {
    const { bluez, radio } = rig();
    const device = await rig().inRange();
    await rig().pass(5_000);
    device.packet = undefined;
    rig().calls();
    const outcome = connect();
    await rig().pass(LIMITS.connect);
    expect(left(await outcome)).to.deep.equal(timeout);
    expect(rig().calls()).to.include('Disconnect');
    expect(radio.lastAdvertisement(A)).to.equal(undefined);
    bluez.hear(A, { RSSI: -60 });
    await otherTurns();
    expect(right(await connect()).ended).to.equal(undefined);
  });

  it('no device whose end of an attempt BlueZ leaves unanswered', async () => {
    const { bluez } = rig();
    const device = await rig().inRange();
    device.packet = undefined;
    bluez.fault('Disconnect');
    const outcome = connect();
    await rig().pass(LIMITS.connect + 4_900);
    expect(bluez.clients.size).to.equal(2);
    await rig().pass(100);
    expect(left(await outcome)).to.deep.equal(timeout);
  });

  it('no device whose request is aborted, before, while BlueZ connects or while services are missing', async () => {
    const device = await rig().inRange();
    const packet = device.packet;
    expect(left(await connect(PROFILE, AbortSignal.abort()))._tag).to.equal('Closed');
    for (const isSilent of [true, false]) {
      device.packet = isSilent ? undefined : packet;
      device.resolves = false;
      const abort = new AbortController();
      rig().calls();
      const outcome = connect(PROFILE, abort.signal);
      await rig().pass(100);
      abort.abort();
      await rig().pass(2_000);
      expect(left(await outcome)).to.deep.equal({ _tag: 'Closed', address: A });
      expect(rig().calls()).to.include('Disconnect');
      expect(rig().bluez.clients.size).to.equal(1);
    }
  });

  it('no device whose request is aborted at any other moment', async () => {
    const { bluez } = rig();
    await rig().inRange();
    for (let turns = 0; turns < 12; turns++) {
      bluez.hear(A, { RSSI: -60 });
      const abort = new AbortController();
      const outcome = connect(PROFILE, abort.signal);
      await otherTurns(turns);
      abort.abort();
      await rig().pass(2_000);
      const ended = await outcome;
      if (ended._tag === 'Right') break;
      expect(ended.left, `${turns} turns`).to.deep.equal({ _tag: 'Closed', address: A });
      expect(bluez.objects.get(bluez.pathOf(A))?.[DEVICE]?.['Connected'], `${turns} turns`).to.equal(false);
      await rig().pass(2_000);
    }
  });

  it('nothing more when it is closed', async () => {
    const device = await rig().inRange();
    device.packet = undefined;
    const outcome = connect();
    await rig().pass(100);
    await rig().radio.close();
    expect(left(await outcome)).to.deep.equal({ _tag: 'Closed', address: A });
    expect(rig().calls()).to.include('Disconnect');
    expect([rig().bluez.clients.size, rig().time.pending]).to.deep.equal([0, 0]);
  });

  it('nothing when it says that it is closed', async () => {
    const device = await rig().inRange();
    device.packet = undefined;
    const order: string[] = [];
    const outcome = connect().then(() => order.push(`attempt, ${rig().bluez.clients.size} connection`));
    await rig().pass(100);
    await rig().radio.close();
    order.push(`radio, ${rig().bluez.clients.size} connections`);
    await outcome;
    expect(order).to.deep.equal(['attempt, 1 connection', 'radio, 0 connections']);
  });

  for (const [event, end] of [
    ['its adapter is off', ({ bluez }) => bluez.power(false)],
    ['its adapter is unplugged', ({ bluez }) => bluez.unplug()],
    ['bluetoothd is killed', ({ bluez }) => bluez.kill()],
    ['the bus ends', ({ bluez }) => bluez.endBus()],
  ] satisfies readonly (readonly [string, (rig: BluezRig) => void])[])
    it(`a silent device no longer than until ${event}`, async () => {
      const device = await rig().inRange();
      device.packet = undefined;
      const outcome = connect();
      await rig().pass(1_000);
      end(rig());
      expect(left(await outcome)).to.include({ _tag: 'AdapterOff', state: 'poweredOff' });
    });

  for (const text of ['le-connection-abort-by-local', 'Software caused connection abort'])
    it(`a device at the third attempt, if two fail with ${text}`, async () => {
      await rig().inRange();
      for (let failures = 0; failures < 2; failures++)
        rig().bluez.fault('Connect', bluezError('Failed', text));
      expect(right(await connect()).ended).to.equal(undefined);
    });

  it('no device that ends each of three links at once', async () => {
    await rig().inRange();
    for (let failures = 0; failures < 3; failures++)
      rig().bluez.fault('Connect', bluezError('Failed', 'le-connection-abort-by-local'));
    rig().calls();
    expect(left(await connect())).to.deep.include({
      ...{ _tag: 'ConnectFailed', reason: 'BlueZ reports le-connection-abort-by-local' },
    });
    expect(
      rig()
        .calls()
        .filter((member) => member === 'Connect'),
    ).to.have.length(3);
  });

  it('a device after another program has given its own attempt up', async () => {
    await rig().inRange();
    const { bluez } = rig();
    bluez.fault('Connect', bluezError('Failed', 'Operation already in progress'));
    bluez.fault('Connect', bluezError('InProgress', 'In Progress'));
    const outcome = connect();
    await rig().pass(300);
    expect(bluez.calls.filter((member) => member === 'Connect')).to.have.length(2);
    await rig().pass(100);
    expect(right(await outcome).ended).to.equal(undefined);
  });

  it('no device after an abort while another program is busy with it, whose attempt it leaves alone', async () => {
    await rig().inRange();
    rig().bluez.fault('Connect', bluezError('InProgress', 'In Progress'));
    rig().calls();
    const abort = new AbortController();
    const outcome = connect(PROFILE, abort.signal);
    await rig().pass(100);
    abort.abort();
    expect(left(await outcome)).to.deep.equal({ _tag: 'Closed', address: A });
    expect(rig().calls()).to.deep.equal(['StopDiscovery', 'Connect']);
  });

  it('no device with which another program is busy beyond the limit', async () => {
    const { bluez } = rig();
    await rig().inRange();
    for (let attempt = 0; attempt < 60; attempt++)
      bluez.fault('Connect', bluezError('InProgress', 'In Progress'));
    const outcome = connect();
    await rig().pass(LIMITS.connect);
    expect(left(await outcome)).to.deep.include({
      _tag: 'ConnectFailed',
      reason: 'BlueZ reports In Progress',
    });
    expect(rig().calls()).not.to.include('Disconnect');
  });

  it('a device that another program has connected', async () => {
    const { bluez } = rig();
    bluez.device(A, { RSSI: -60 }, SERVICES);
    const values = { Address: A, Name: 'die', Connected: true, ServicesResolved: true };
    bluez.add(bluez.pathOf(A), { [DEVICE]: values });
    bluez.export(A);
    await rig().listen();
    expect(right(await connect()).notifies('ff01')).to.equal(true);
  });

  it('a device while it waits for a silent one', async () => {
    const { bluez, radio } = rig();
    bluez.device(B, { RSSI: -60 }, SERVICES);
    const silent = await rig().inRange();
    silent.packet = undefined;
    const first = connect();
    await rig().pass(1_000);
    expect(right(await radio.connect(B, PROFILE)()).address).to.equal(B);
    bluez.hear(A, { RSSI: -60 });
    bluez.answer(A);
    expect(right(await first).address).to.equal(A);
  });

  it('a device again, after the end of its earlier link', async () => {
    const first = await rig().link();
    first.fail({ _tag: 'Closed', address: A });
    const second = connect();
    await otherTurns();
    expect([first.ended?._tag, rig().calls()]).to.deep.equal(['Closed', ['Disconnect']]);
    await rig().pass(2_000);
    expect(right(await second).ended).to.equal(undefined);
  });

  it('a device twice at once, the second time after the end of the first link', async () => {
    await rig().inRange();
    const outcomes = [connect(), connect()];
    await rig().pass(3_000);
    const links = (await Promise.all(outcomes)).map(right);
    expect(links.map(({ ended }) => ended?._tag)).to.deep.equal(['Closed', undefined]);
    expect(rig().bluez.clients.size).to.equal(2);
  });

  it('a device whose services BlueZ exports after it has reported them as resolved', async () => {
    const { bluez } = rig();
    const device = await rig().inRange();
    device.resolves = false;
    const outcome = connect();
    await rig().pass(500);
    bluez.change(bluez.pathOf(A), DEVICE, { ServicesResolved: true });
    await rig().pass(900);
    bluez.export(A);
    expect(right(await outcome).notifies('ff01')).to.equal(true);
  });

  it('a device once its services are resolved, though BlueZ has some of earlier', async () => {
    const { bluez } = rig();
    const device = await rig().inRange();
    bluez.export(A);
    device.resolves = false;
    let isOpen = false;
    const outcome = connect().then((opened) => {
      isOpen = true;
      return opened;
    });
    await rig().pass(1_000);
    expect(isOpen).to.equal(false);
    bluez.resolve(A);
    expect(right(await outcome).mtu).to.equal(256);
  });

  it('no device whose services BlueZ does not resolve', async () => {
    const device = await rig().inRange();
    device.resolves = false;
    const outcome = connect();
    await otherTurns();
    device.packet = undefined;
    await rig().pass(LIMITS.discover + 2_000);
    expect(left(await outcome)).to.deep.equal({
      ...{ _tag: 'Timeout', address: A, operation: 'discovery', ms: LIMITS.discover },
    });
    expect(rig().calls()).to.include('Disconnect').and.not.include('RemoveDevice');
    expect(rig().radio.lastAdvertisement(A)?.rssi).to.equal(-60);
  });

  for (const [reason, profile] of [
    ['the device has no service 180f', [{ service: '180f', characteristics: ['2a19'] }]],
    ['the device has no characteristic ff11', [{ service: SERVICE, characteristics: ['ff11'] }]],
    ['the device has no service beef', [{ service: 'beef', characteristics: [] }]],
    ['the device has no characteristic cafe', [{ service: SERVICE, characteristics: [WRITABLE, 'cafe'] }]],
  ] as const)
    it(`no device with another profile, and lets BlueZ forget it: ${reason}`, async () => {
      const { bluez, radio } = rig();
      const device = await rig().inRange({ ...SERVICES, ff10: [{ uuid: 'ff11', flags: ['read'] }] });
      const outcome = connect(profile);
      await rig().pass(100);
      device.packet = undefined;
      await rig().pass(3_000);
      expect(left(await outcome)).to.deep.equal({
        ...{ _tag: 'GattFailed', address: A, operation: 'discovery', reason },
      });
      expect(bluez.removed).to.deep.equal([bluez.pathOf(A)]);
      expect(radio.lastAdvertisement(A)).to.equal(undefined);
    });

  it('no device with another profile, but lets BlueZ keep it if it is paired', async () => {
    const { bluez, radio } = rig();
    const device = await rig().inRange();
    bluez.change(bluez.pathOf(A), DEVICE, { Paired: true });
    const outcome = connect([{ service: 'beef', characteristics: [] }]);
    await otherTurns();
    device.packet = undefined;
    await rig().pass(3_000);
    expect(left(await outcome)._tag).to.equal('GattFailed');
    expect(radio.lastAdvertisement(A)).to.equal(undefined);
    expect(bluez.removed).to.deep.equal([]);
  });

  it('no device whose link is lost while it looks for services', async () => {
    const { bluez, radio } = rig();
    const device = await rig().inRange();
    device.resolves = false;
    const outcome = connect();
    await otherTurns();
    bluez.drop(A);
    expect(left(await outcome)).to.deep.equal({ _tag: 'LinkLost', address: A, reason: null });
    expect(radio.lastAdvertisement(A)).to.equal(undefined);
  });

  it('no device whose link is lost before the objects are read, or whose objects BlueZ does not tell', async () => {
    const { bluez } = rig();
    await rig().inRange();
    bluez.fault('GetManagedObjects', bluezError('Failed', 'a failure'));
    const first = connect();
    await rig().pass(2_000);
    expect(left(await first)._tag).to.equal('ConnectFailed');
    expect(bluez.calls.filter((call) => call.startsWith('Disconnect'))).to.have.length(1);
    bluez.change(bluez.pathOf(A), DEVICE, { Connected: false, RSSI: -60 });
    await otherTurns();
    bluez.dropsAtOnce = true;
    expect(left(await connect())._tag).to.equal('LinkLost');
    expect(bluez.clients.size).to.equal(1);
  });
});
