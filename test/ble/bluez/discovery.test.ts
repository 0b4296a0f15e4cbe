/** When the radio on BlueZ discovers devices. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ADAPTER } from '../../../src/ble/bluez/objects.js';
import { A, B, PROFILE, SERVICES, useBluez } from '../../support/bluez-fixture.js';
import { right } from '../../support/either.js';
import { bluezError } from '../../support/bluez-values.js';
import { otherTurns } from '../../support/hci-host.js';

const START = ['StartDiscovery'];
const RESTART = ['StopDiscovery', 'StartDiscovery'];

describe('The radio on BlueZ discovers', () => {
  const rig = useBluez();
  const warnings = () => rig().messages.filter((message) => message.startsWith('warning'));

  it('with a filter for every packet of low energy, after it has set the filter', async () => {
    const { bluez } = rig();
    await rig().listen();
    expect(bluez.filters).to.deep.equal([
      { Transport: ['s', 'le'], DuplicateData: ['b', true], RSSI: ['n', -127] },
    ]);
    expect(bluez.calls).to.deep.equal(['GetManagedObjects', 'SetDiscoveryFilter', 'StartDiscovery']);
  });

  it('only while somebody listens', async () => {
    const { radio } = rig();
    right(await radio.start(undefined));
    radio.observe(() => undefined);
    await rig().pass(3_000);
    expect(rig().calls()).to.deep.equal([]);
    const stops = [radio.listen(() => undefined), radio.listen(() => undefined)];
    await otherTurns();
    expect(rig().calls()).to.deep.equal(START);
    stops.pop()?.();
    await otherTurns();
    expect(rig().calls()).to.deep.equal([]);
    stops.pop()?.();
    await rig().pass(5_000);
    expect(rig().calls()).to.deep.equal(['StopDiscovery']);
  });

  it('again every 0.7 s, since BlueZ reports a device once', async () => {
    await rig().inRange();
    await rig().pass(2_100);
    expect(rig().calls()).to.deep.equal([...START, ...RESTART, ...RESTART, ...RESTART]);
    expect(rig().advertisements.map(({ heardAt }) => heardAt.getTime())).to.deep.equal([
      0, 700, 1_400, 2_100,
    ]);
  });

  it('again after a link', async () => {
    const link = await rig().link();
    await rig().pass(1_000);
    rig().calls();
    rig().bluez.drop(A);
    await otherTurns();
    expect(link.ended?._tag).to.equal('LinkLost');
    expect(rig().calls()).to.deep.equal(RESTART);
  });

  it('not while it connects, and again at once when it has', async () => {
    const { bluez, radio } = rig();
    await rig().inRange();
    rig().calls();
    right(await radio.connect(A, PROFILE)());
    await otherTurns();
    expect(rig().calls()).to.deep.equal(['StopDiscovery', 'Connect', 'StartDiscovery']);
    bluez.device(B, { RSSI: -60 });
    await otherTurns();
    expect(radio.lastAdvertisement(B)?.rssi).to.equal(-60);
  });

  it('again 2 s after the start of an attempt at a silent device', async () => {
    const { radio } = rig();
    const device = await rig().inRange();
    device.packet = undefined;
    rig().calls();
    const outcome = radio.connect(A, PROFILE)();
    await rig().pass(1_900);
    expect(rig().calls()).to.deep.equal(['StopDiscovery', 'Connect']);
    await rig().pass(100);
    expect(rig().calls()).to.deep.equal(START);
    await rig().pass(10_000);
    expect((await outcome)._tag).to.equal('Left');
  });

  it('when the last of two attempts has ended', async () => {
    const { bluez, radio } = rig();
    bluez.device(B, { RSSI: -60 }, SERVICES);
    const silent = await rig().inRange();
    silent.packet = undefined;
    rig().calls();
    const first = radio.connect(A, PROFILE)();
    await rig().pass(1_000);
    right(await radio.connect(B, PROFILE)());
    expect(rig().calls()).to.deep.equal(['StopDiscovery', 'Connect', 'Connect']);
    await rig().pass(1_000);
    expect(rig().calls()).to.deep.equal(START);
    await rig().pass(10_000);
    expect((await first)._tag).to.equal('Left');
  });

  it('as well if BlueZ says that it does already', async () => {
    const { bluez } = rig();
    bluez.fault('StartDiscovery', bluezError('InProgress', 'Operation already in progress'));
    await rig().listen();
    await rig().pass(700);
    expect([rig().calls(), warnings()]).to.deep.equal([[...START, ...RESTART], []]);
  });

  it('again 0.7 s after a failure, of which it warns once', async () => {
    const { bluez } = rig();
    for (const text of ['No such device', 'No such device', 'Out of memory'])
      bluez.fault('StartDiscovery', bluezError('Failed', text));
    await rig().listen();
    await rig().pass(2_099);
    expect(rig().calls()).to.deep.equal([...START, ...START, ...START]);
    expect(warnings()).to.deep.equal([
      'warning: BlueZ does not discover devices: org.bluez.Error.Failed: No such device',
      'warning: BlueZ does not discover devices: org.bluez.Error.Failed: Out of memory',
    ]);
    await rig().pass(1);
    bluez.device(A, { RSSI: -60 });
    await otherTurns();
    expect(rig().advertisements).to.have.length(1);
  });

  it('not without its filter', async () => {
    const { bluez } = rig();
    bluez.fault('SetDiscoveryFilter', bluezError('Failed', 'No such device'));
    await rig().listen();
    expect(rig().calls()).to.deep.equal([]);
    expect(warnings()).to.have.length(1);
  });

  it('no more after close, even if the last start failed', async () => {
    rig().bluez.fault('StartDiscovery', bluezError('NotReady', 'Resource Not Ready'));
    await rig().listen();
    await rig().radio.close();
    expect([rig().time.pending, warnings()]).to.deep.equal([0, []]);
  });

  it('again when its adapter is on again', async () => {
    const { bluez } = rig();
    await rig().inRange();
    bluez.power(false);
    await rig().pass(5_000);
    rig().radio.listen(() => undefined);
    await otherTurns();
    expect(rig().calls()).to.deep.equal(START);
    bluez.power(true);
    await otherTurns();
    expect(rig().calls()).to.deep.equal(START);
    expect(rig().advertisements).to.have.length(2);
  });

  it('again when bluetoothd is back and its adapter on', async () => {
    const { bluez } = rig();
    await rig().inRange();
    bluez.kill();
    await rig().pass(1_000);
    bluez.start(false);
    await rig().pass(2_000);
    expect(rig().calls()).to.deep.equal(START);
    bluez.change('/org/bluez/hci0', ADAPTER, { Powered: true });
    await otherTurns();
    expect(rig().calls()).to.deep.equal(START);
    expect(rig().advertisements).to.have.length(2);
  });

  it('or pauses as it is asked, at any moment', async () => {
    const { radio } = rig();
    const device = await rig().inRange();
    device.packet = undefined;
    for (let turns = 0; turns < 30; turns++) {
      const stop = radio.listen(() => undefined);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const abort = new AbortController();
      const outcome = radio.connect(A, PROFILE, abort.signal)();
      await otherTurns();
      expect(rig().calls().slice(-2), `after ${turns} turns`).to.deep.equal(['StopDiscovery', 'Connect']);
      abort.abort();
      await rig().pass(100);
      stop();
      expect((await outcome)._tag).to.equal('Left');
    }
  });
});
