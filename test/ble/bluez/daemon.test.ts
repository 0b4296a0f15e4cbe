/** The adapter, bluetoothd and the bus: their states, and what a person can do. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ADAPTER } from '../../../src/ble/bluez/objects.js';
import { CombinedRadio } from '../../../src/ble/combined-radio.js';
import type { AdapterState } from '../../../src/ble/ports.js';
import { problemText } from '../../../src/ble/problem.js';
import { SETTLE_MS } from '../../../src/ble/settled-problem.js';
import { findDevice } from '../../../src/devices/search.js';
import { adapterHealth } from '../../../src/http/index.js';
import { deviceMessage } from '../../../src/operations/index.js';
import { bluezError } from '../../support/bluez-values.js';
import { A, PROFILE, useBluez, type BluezRig } from '../../support/bluez-fixture.js';
import { JUST_OFF } from '../../support/bluetooth-fixture.js';
import { left, right } from '../../support/either.js';
import { otherTurns } from '../../support/hci-host.js';

const HCI1 = '/org/bluez/hci1';
const dbusError = (name: string, text = 'a text') => bluezError(`org.freedesktop.DBus.Error.${name}`, text);
const NO_DAEMON = /^bluetoothd does not run.*`sudo systemctl enable --now bluetooth`/;

/** The problem of the radio, in words. */
const problemIn = ({ radio: { problem } }: BluezRig) => problem && problemText(problem);

describe('The radio on BlueZ starts', () => {
  const rig = useBluez();
  const start = async (name?: string) => {
    const { radio } = rig();
    const started = await radio.start(name);
    return started._tag === 'Left' ? started.left : [radio.adapter, radio.state];
  };

  it('on the first adapter that is on', async () => {
    rig().bluez.power(false);
    rig().bluez.add('/org/bluez/hci10', { [ADAPTER]: { Address: '00:00:00:00:00:10', Powered: true } });
    rig().bluez.add('/org/bluez/hci2', { [ADAPTER]: { Address: '00:00:00:00:00:02', Powered: true } });
    expect(await start()).to.deep.equal(['hci2', 'poweredOn']);
    expect(rig().messages).to.deep.equal([]);
    const properties =
      "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',path_namespace='/org/bluez'";
    expect(rig().bluez.rules).to.deep.equal([
      "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager'",
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'",
      `${properties},arg0='org.bluez.Adapter1'`,
      `${properties},arg0='org.bluez.Device1'`,
    ]);
  });

  it('on the first adapter if all are off', async () => {
    rig().bluez.power(false);
    rig().bluez.add(HCI1, { [ADAPTER]: { Address: '00:00:00:00:00:01', Powered: false } });
    expect(await start()).to.deep.equal(['hci0', 'poweredOff']);
    expect(problemIn(rig())).to.equal('hci0 is off: run `bluetoothctl power on`');
  });

  it('on the adapter with a name', async () => {
    rig().bluez.add(HCI1, { [ADAPTER]: { Address: '00:00:00:00:00:01', Powered: true } });
    expect(await start('hci1')).to.deep.equal(['hci1', 'poweredOn']);
  });

  it('on no other adapter than that with the name', async () => {
    rig().bluez.add(HCI1, { [ADAPTER]: { Address: '00:00:00:00:00:01', Powered: true } });
    expect(await start('hci2')).to.equal('BlueZ has no adapter hci2, but hci0, hci1');
  });

  it('on no machine without an adapter', async () => {
    rig().bluez.unplug();
    expect(await start()).to.match(/^BlueZ has no Bluetooth adapter: plug one in/);
  });

  for (const [how, name, problem] of [
    [
      'a bus',
      'NoServer',
      /^the system bus.*cannot be reached \(a text\).*`sudo systemctl start dbus`.*mount \/run\/dbus/,
    ],
    ['the right to use the bus', 'AccessDenied', /^the system bus.*`sudo usermod -aG bluetooth "\$USER"`/],
    [
      'another reason',
      'LimitsExceeded',
      /^BlueZ cannot be used: org.freedesktop.DBus.Error.LimitsExceeded: a text$/,
    ],
  ] as const)
    it(`on no machine without ${how}`, async () => {
      rig().bluez.refusal = dbusError(name);
      expect(await start()).to.match(problem);
    });

  it('on no bus that has no user of its number', async () => {
    rig().bluez.refusal = dbusError('NoServer', 'write EPIPE');
    expect(await start()).to.match(/refuses the user number \d+: be a user whom its host knows/);
    expect(rig().radio.state).to.equal('unknown');
  });

  for (const [how, name, problem] of [
    ['the right to use BlueZ', 'AccessDenied', /^the system bus does not let this user talk to BlueZ/],
    ['bluetoothd', 'ServiceUnknown', NO_DAEMON],
  ] as const)
    it(`on no machine without ${how}`, async () => {
      rig().bluez.fault('GetManagedObjects', dbusError(name));
      expect(await start()).to.match(problem);
    });

  it('no later than the limit of a call if bluetoothd does not answer', async () => {
    rig().bluez.fault('GetManagedObjects');
    const started = start();
    await rig().pass(5_000);
    expect(await started).to.equal(
      'BlueZ cannot be used: org.freedesktop.DBus.Error.Timeout: no reply within 5000 ms',
    );
  });
});

describe('The radio on BlueZ', () => {
  const rig = useBluez();
  const states = (): AdapterState[] => {
    const all: AdapterState[] = [];
    rig().radio.onState((state) => all.push(state));
    return all;
  };
  const problemOf = () => problemIn(rig());
  /** The messages since the last use. */
  const messages = () => rig().messages.splice(0);
  const isUp = async (): Promise<void> => {
    const { bluez, radio } = rig();
    expect([radio.state, radio.problem]).to.deep.equal(['poweredOn', undefined]);
    bluez.hear(A, { RSSI: -60 });
    await otherTurns();
    expect(radio.lastAdvertisement(A)?.rssi).to.equal(-60);
  };

  it('is off with its adapter, and on with it', async () => {
    const { bluez, radio } = rig();
    const seen = states();
    await rig().inRange();
    messages();
    bluez.power(false);
    await otherTurns();
    expect([radio.state, radio.lastAdvertisement(A)]).to.deep.equal(['poweredOff', undefined]);
    await rig().pass(SETTLE_MS);
    expect(messages()).to.deep.equal(['warning: hci0 is off: run `bluetoothctl power on`']);
    bluez.change('/org/bluez/hci0', ADAPTER, { Discoverable: false });
    bluez.power(true);
    await otherTurns();
    await isUp();
    expect(messages()).to.deep.equal(['hci0 is on, by BlueZ']);
    expect(seen).to.deep.equal(['poweredOn', 'poweredOff', 'poweredOn']);
  });

  it('says that its adapter is blocked', async () => {
    const { bluez } = rig();
    await rig().listen();
    bluez.change('/org/bluez/hci0', ADAPTER, { Powered: false, PowerState: 'off-blocked' });
    await otherTurns();
    await rig().pass(SETTLE_MS);
    expect(problemOf()).to.equal('hci0 is blocked by rfkill: run `sudo rfkill unblock bluetooth`');
  });

  it('takes its adapter again under another number', async () => {
    const { bluez, radio } = rig();
    await rig().inRange();
    messages();
    bluez.unplug();
    await rig().pass(SETTLE_MS);
    const problem = 'the adapter hci0 (00:1A:7D:DA:71:13) is gone: plug it in again';
    expect([radio.state, problemOf(), radio.adapter]).to.deep.equal(['poweredOff', problem, 'hci0']);
    bluez.add('/org/bluez/hci0', { [ADAPTER]: { Address: '00:00:00:00:00:01', Powered: true } });
    await otherTurns();
    expect(problemOf()).to.equal(problem);
    bluez.plug('hci3');
    await otherTurns();
    expect(radio.adapter).to.equal('hci3');
    await isUp();
    right(await radio.connect(A, PROFILE)());
    expect(messages()).to.deep.equal([`warning: ${problem}`, 'hci3 is on, by BlueZ']);
  });

  it('keeps to its adapter if another has the same address', async () => {
    const { bluez, radio } = rig();
    bluez.add(HCI1, { [ADAPTER]: { Address: bluez.adapter.address, Powered: false } });
    right(await radio.start('hci1'));
    expect(radio.adapter).to.equal('hci1');
  });

  it('has one reason for the end of bluetoothd, which comes in steps: in the log, for clients and in the errors of requests', async () => {
    const { bluez, radio, time } = rig();
    await rig().inRange();
    messages();
    const combined = new CombinedRadio([{ name: 'bluez:hci0', radio }], () => undefined);
    const told = async (): Promise<readonly unknown[]> => [
      combined.parts[0]?.problem,
      adapterHealth(combined, {}).details.problem,
      deviceMessage(left(await combined.connect(A, PROFILE)())),
      deviceMessage(left(await findDevice(combined, A, { time, ms: 1_000 })())),
    ];
    const steps = [() => bluez.power(false), () => bluez.unplug(), () => bluez.kill()];
    for (const step of steps) {
      step();
      await rig().pass(100);
      expect(await told()).to.deep.equal(Array(4).fill((JUST_OFF as { readonly reason: string }).reason));
    }
    await rig().pass(SETTLE_MS);
    const [warning = '', ...others] = messages();
    const reason = warning.replace('warning: ', '');
    expect(reason).to.match(NO_DAEMON);
    expect([others, await told()]).to.deep.equal([[], Array(4).fill(reason)]);
  });

  it('comes back after bluetoothd was killed and started by somebody', async () => {
    const { bluez, radio } = rig();
    await rig().inRange();
    messages();
    bluez.kill();
    await rig().pass(SETTLE_MS);
    expect([radio.state, radio.lastAdvertisement(A)]).to.deep.equal(['poweredOff', undefined]);
    expect(problemOf()).to.match(NO_DAEMON);
    expect(left(await radio.connect(A, PROFILE)())).to.deep.equal({
      ...{ _tag: 'AdapterOff', state: 'poweredOff', reason: problemOf() },
    });
    await rig().pass(60_000);
    expect(messages()).to.have.length(1);
    bluez.start();
    await rig().pass(2_000);
    await isUp();
  });

  it('comes back after a stop and a start of bluetoothd, with the adapter off at first', async () => {
    const { bluez } = rig();
    await rig().inRange();
    bluez.stop();
    await rig().pass(500);
    bluez.start(false);
    await rig().pass(SETTLE_MS);
    expect(problemOf()).to.equal('hci0 is off: run `bluetoothctl power on`');
    bluez.power(true);
    await otherTurns();
    await isUp();
  });

  it('waits for the adapter of a bluetoothd that has just started', async () => {
    const { bluez, radio } = rig();
    await rig().inRange();
    bluez.stop();
    bluez.start();
    bluez.unplug();
    await rig().pass(3_000);
    expect(radio.state).to.equal('poweredOff');
    bluez.plug('hci1');
    await otherTurns();
    await isUp();
  });

  it('comes back after the end of the bus', async () => {
    const { bluez } = rig();
    await rig().inRange();
    bluez.refusal = dbusError('NoServer', 'connect ENOENT');
    bluez.endBus();
    await rig().pass(1_000);
    expect(problemOf()).to.include('has just gone off');
    await rig().pass(5_000);
    expect(problemOf()).to.include('connect ENOENT');
    bluez.refusal = undefined;
    await rig().pass(2_000);
    await isUp();
  });

  it('may not use BlueZ any more after a change of the policy', async () => {
    const { bluez, radio } = rig();
    await rig().inRange();
    for (const refusal of [dbusError('AccessDenied'), dbusError('NoServer', 'write EPIPE')]) {
      bluez.refusal = refusal;
      bluez.endBus();
      await rig().pass(2_000);
      expect(radio.state).to.equal('unauthorized');
      bluez.refusal = undefined;
      await rig().pass(2_000);
      await isUp();
    }
  });

  it('takes the signals that come with the reply to its first call', async () => {
    const { bluez, radio } = rig();
    bluez.hold('GetManagedObjects');
    const started = radio.start(undefined);
    await otherTurns();
    bluez.release('GetManagedObjects');
    bluez.power(false);
    right(await started);
    expect(radio.state).to.equal('poweredOff');
  });

  it('is not up if bluetoothd ends with the reply to its call, and ignores the reply', async () => {
    const { bluez, radio } = rig();
    await rig().listen();
    bluez.endBus();
    bluez.add(bluez.pathOf(A), { 'org.bluez.Device1': { Address: A, Connected: true } });
    bluez.hold('GetManagedObjects');
    await rig().pass(2_000);
    bluez.release('GetManagedObjects');
    bluez.kill();
    await otherTurns();
    await rig().pass(SETTLE_MS);
    expect(problemOf()).to.match(NO_DAEMON);
    bluez.start();
    await rig().pass(3_000);
    expect([radio.state, radio.lastAdvertisement(A)]).to.deep.equal(['poweredOn', undefined]);
  });

  it('forgets the objects of a bluetoothd that was killed', async () => {
    const { bluez, radio } = rig();
    bluez.add(bluez.pathOf(A), { 'org.bluez.Device1': { Address: A, Connected: true } });
    await rig().listen();
    expect(radio.lastAdvertisement(A)?.rssi).to.equal(null);
    bluez.kill();
    bluez.start();
    await rig().pass(3_000);
    expect([radio.state, radio.lastAdvertisement(A)]).to.deep.equal(['poweredOn', undefined]);
  });

  it('takes changes of objects that it has not read for none', async () => {
    const { bluez, radio } = rig();
    const path = bluez.pathOf(A);
    bluez.add(path, { 'org.bluez.Device1': { Address: A } });
    bluez.hold('GetManagedObjects');
    const started = radio.start(undefined);
    await otherTurns();
    bluez.change(path, 'org.bluez.Device1', { RSSI: -60 });
    bluez.remove(path);
    bluez.release('GetManagedObjects');
    right(await started);
    expect([radio.state, radio.lastAdvertisement(A)]).to.deep.equal(['poweredOn', undefined]);
  });

  it('ends each link when it is closed, and then leaves neither timer nor connection', async () => {
    const { bluez, radio, time } = rig();
    const link = await rig().link();
    const closed = radio.close();
    expect(link.ended?._tag).to.equal('Closed');
    await rig().pass(2_000);
    await closed;
    expect([time.pending, bluez.clients.size, radio.lastAdvertisement(A)]).to.deep.equal([0, 0, undefined]);
    expect(rig().calls()).to.have.members(['StopDiscovery', 'Disconnect']);
    expect(bluez.objects.get(bluez.pathOf(A))?.['org.bluez.Device1']?.['Connected']).to.equal(false);
  });

  for (const refusal of [undefined, dbusError('NoServer')])
    it(`leaves nothing when it is closed while it connects to a bus that ${refusal ? 'refuses' : 'accepts'} it`, async () => {
      const { bluez, radio, time } = rig();
      await rig().listen();
      bluez.kill();
      await otherTurns();
      let accept: () => void = () => undefined;
      bluez.opening = new Promise((resolve) => (accept = resolve));
      time.advance(2_000);
      await radio.close();
      bluez.start();
      bluez.refusal = refusal;
      accept();
      await otherTurns();
      expect([time.pending, bluez.clients.size]).to.deep.equal([0, 0]);
    });
});
