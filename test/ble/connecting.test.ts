import { expect } from 'chai';
import { describe, it } from 'mocha';
import { GIVE_WAY_MS } from '../../src/ble/noble/connect-queue.js';
import { DISCONNECT_LIMIT } from '../../src/ble/noble/link.js';
import { discovering } from '../support/att-device.js';
import {
  type Fixture,
  CHARACTERISTIC,
  DEVICE,
  LIMITS,
  OTHER_DEVICE,
  PROFILE,
  from,
  nextAdvertisement,
  left,
  linkTo,
  right,
  type FixtureRadio,
  eachFixture,
} from '../support/bluetooth-fixture.js';
import { otherTurns } from '../support/hci-host.js';

describe('Connecting', () => {
  let fixture: Fixture;
  let radio: FixtureRadio;
  eachFixture((opened) => ({ fixture, radio } = opened), { maxLinks: 2 });

  it('makes a link with the discovered profile, which ends with `Closed` when we end it', async () => {
    const device = await fixture.device();
    const link = await linkTo(radio);
    expect([link.address, link.ended, device.connected]).to.deep.equal([DEVICE, undefined, true]);
    await link.disconnect();
    expect(link.ended).to.deep.equal({ _tag: 'Closed', address: DEVICE });
    await otherTurns();
    expect(device.connected).to.equal(false);
    await link.disconnect();
    expect(radio.counts.links).to.equal(0);
  });

  it('finds a characteristic of 16 bits that the device lists in 128', async () => {
    await fixture.device({ characteristic: { uuid: '0000000b00001000800000805f9b34fb' } });
    await nextAdvertisement(radio, from(DEVICE));
    const profile = PROFILE.map(({ service }) => ({ service, characteristics: ['b'] }));
    const link = right(await radio.connect(DEVICE, profile)());
    expect(right(await link.read('b')()).toString()).to.equal('value');
  });

  it('works repeatedly', async () => {
    const device = await fixture.device();
    for (let round = 0; round < 10; round++) {
      const link = await linkTo(radio);
      expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
      if (round % 2 === 0) await link.disconnect();
      else {
        const ended = new Promise((resolve) => link.onEnd(resolve));
        device.disconnect();
        await ended;
      }
    }
    expect(fixture.air.linkCount).to.equal(0);
    expect(radio.warnings).to.deep.equal([]);
  });

  it('to a device that has never advertised is refused immediately', async () => {
    expect(left(await radio.connect(DEVICE, PROFILE)())).to.deep.equal({ _tag: 'NotFound', address: DEVICE });
  });

  it('to a device out of range waits, and succeeds when it is back in time', async () => {
    await fixture.device();
    await nextAdvertisement(radio, from(DEVICE));
    fixture.air.setReception(DEVICE, { inRange: false });
    const connecting = radio.connect(DEVICE, PROFILE)();
    await otherTurns();
    radio.time.advance(LIMITS.connect - 1);
    fixture.air.setReception(DEVICE, { inRange: true });
    expect(right(await connecting).ended).to.equal(undefined);
  });

  it('to a device out of range fails with its limit, and succeeds at the next attempt when it is back', async () => {
    await fixture.device();
    await nextAdvertisement(radio, from(DEVICE));
    fixture.air.setReception(DEVICE, { inRange: false });
    const connecting = radio.connect(DEVICE, PROFILE)();
    await otherTurns();
    radio.time.advance(LIMITS.connect);
    expect(left(await connecting)).to.include({ _tag: 'Timeout', operation: 'connect', ms: LIMITS.connect });
    fixture.air.setReception(DEVICE, { inRange: true });
    expect((await linkTo(radio)).ended).to.equal(undefined);
  });

  it('is done one device at a time', async () => {
    for (const address of [DEVICE, OTHER_DEVICE]) {
      await fixture.device({ address });
      await nextAdvertisement(radio, from(address));
    }
    const links = await Promise.all(
      [DEVICE, OTHER_DEVICE].map((address) => radio.connect(address, PROFILE)()),
    );
    expect(links.map((link) => right(link).address)).to.deep.equal([DEVICE, OTHER_DEVICE]);
  });

  it('of a device that fell silent while it waited in the queue is tried anyway', async () => {
    const memory = { devices: 10, ms: GIVE_WAY_MS / 2 };
    const forgetful = await fixture.radio({ memory });
    const device = await fixture.device();
    const other = await fixture.device({ address: OTHER_DEVICE });
    await nextAdvertisement(forgetful, from(DEVICE));
    await nextAdvertisement(forgetful, from(OTHER_DEVICE));
    fixture.air.setReception(DEVICE, { inRange: false });
    const first = forgetful.connect(DEVICE, PROFILE)();
    const second = forgetful.connect(OTHER_DEVICE, PROFILE)();
    fixture.air.setReception(OTHER_DEVICE, { inRange: false });
    await otherTurns();
    forgetful.time.advance(LIMITS.connect);
    fixture.air.setReception(OTHER_DEVICE, { inRange: true });
    expect(left(await first)).to.include({ _tag: 'Timeout', operation: 'connect' });
    expect(right(await second).address).to.equal(OTHER_DEVICE);
    expect([device.connected, other.connected]).to.deep.equal([false, true]);
  });

  it('of one that advertises waits no longer than the attempt at one that is silent may last', async () => {
    const gone = ['D2:00:00:00:00:01', 'D2:00:00:00:00:02', 'D2:00:00:00:00:03'];
    for (const address of [...gone, DEVICE]) {
      await fixture.device({ address });
      await nextAdvertisement(radio, from(address));
    }
    for (const address of gone) fixture.air.setReception(address, { inRange: false });
    const abort = new AbortController();
    const vain = gone.map((address) => radio.connect(address, PROFILE, abort.signal)());
    const connecting = radio.connect(DEVICE, PROFILE)();
    await otherTurns();
    radio.time.advance(GIVE_WAY_MS / 2);
    await nextAdvertisement(radio, from(DEVICE));
    radio.time.advance(GIVE_WAY_MS / 2);
    expect(right(await connecting).address).to.equal(DEVICE);
    await otherTurns();
    abort.abort();
    expect((await Promise.all(vain)).map(left)).to.deep.equal(
      gone.map((address) => ({ _tag: 'Closed', address })),
    );
    expect(radio.counts).to.include({ links: 1, listeners: 0 });
    expect(radio.warnings).to.deep.equal([]);
  });

  it('is tried three times when the device misses the request, and no more', async () => {
    await fixture.device();
    await nextAdvertisement(radio, from(DEVICE));
    fixture.air.faults.add({ device: DEVICE, type: 'failed_establishment', times: 2 });
    const link = right(await radio.connect(DEVICE, PROFILE)());
    await link.disconnect();
    await nextAdvertisement(radio, from(DEVICE));
    const { id } = fixture.air.faults.add({ device: DEVICE, type: 'failed_establishment' });
    const error = left(await radio.connect(DEVICE, PROFILE)());
    const reason = 'connection failed to be established (0x3E)';
    expect(error).to.deep.equal({ _tag: 'ConnectFailed', address: DEVICE, reason });
    expect(fixture.air.faults.list().find((fault) => fault.id === id)?.hits).to.equal(3);
  });

  /** An attempt that is over its limit, and whose controller never says so. */
  const unansweredAttempt = async () => {
    await fixture.device();
    await nextAdvertisement(radio, from(DEVICE));
    fixture.air.faults.add({ device: 'hci0', type: 'unanswered_command', opcode: 0x200d, times: 1 });
    const attempt = radio.connect(DEVICE, PROFILE)();
    await otherTurns();
    radio.time.advance(LIMITS.connect);
    return { attempt };
  };

  it('is aborted when the controller never responds, and the next attempt is served', async () => {
    const { attempt } = await unansweredAttempt();
    radio.time.advance(DISCONNECT_LIMIT);
    expect(left(await attempt)).to.include({ _tag: 'Timeout', operation: 'connect' });
    await nextAdvertisement(radio, from(DEVICE));
    right(await radio.connect(DEVICE, PROFILE)());
  });

  it('is aborted immediately when the adapter is gone before it has ended the attempt', async () => {
    const { attempt } = await unansweredAttempt();
    fixture.server.power('hci0', false);
    expect(left(await attempt)).to.include({ _tag: 'Timeout', operation: 'connect' });
  });

  it('over the adapter’s number of links is `LinkLimit`', async () => {
    const addresses = ['D2:00:00:00:00:01', 'D2:00:00:00:00:02', 'D2:00:00:00:00:03'];
    for (const address of addresses) await fixture.device({ address });
    await linkTo(radio, addresses[0]);
    await linkTo(radio, addresses[1]);
    await nextAdvertisement(radio, from('D2:00:00:00:00:03'));
    const error = left(await radio.connect('D2:00:00:00:00:03', PROFILE)());
    expect(error).to.deep.equal({ _tag: 'LinkLimit', address: 'D2:00:00:00:00:03' });
  });

  it('to a linked device ends the link it has and makes another', async () => {
    await fixture.device();
    const first = await linkTo(radio);
    const connecting = radio.connect(DEVICE, PROFILE)();
    const second = right(await connecting);
    expect(first.ended).to.deep.equal({ _tag: 'Closed', address: DEVICE });
    expect(second.ended).to.equal(undefined);
  });
});

describe('Aborting a connect', () => {
  let fixture: Fixture;
  let radio: FixtureRadio;
  eachFixture((opened) => ({ fixture, radio } = opened));

  const closed = { _tag: 'Closed', address: DEVICE };

  it('before it began does nothing at all', async () => {
    await fixture.device();
    const link = await linkTo(radio);
    expect(left(await radio.connect(DEVICE, PROFILE, AbortSignal.abort())())).to.deep.equal(closed);
    expect(link.ended).to.equal(undefined);
  });

  it('an attempt under way frees the adapter for the next', async () => {
    await fixture.device();
    await fixture.device({ address: OTHER_DEVICE });
    await nextAdvertisement(radio, from(DEVICE));
    await nextAdvertisement(radio, from(OTHER_DEVICE));
    fixture.air.setReception(DEVICE, { inRange: false });
    const abort = new AbortController();
    const given = radio.connect(DEVICE, PROFILE, abort.signal)();
    const next = radio.connect(OTHER_DEVICE, PROFILE)();
    await otherTurns();
    abort.abort();
    expect(left(await given)).to.deep.equal(closed);
    expect(right(await next).address).to.equal(OTHER_DEVICE);
  });

  it('during discovery ends the link', async () => {
    const abort = new AbortController();
    const { device, connecting } = await discovering(fixture, radio, abort.signal);
    abort.abort();
    expect(left(await connecting)).to.deep.equal(closed);
    expect((await device.host.disconnected()).reason).to.equal(0x13);
  });

  it('after the link was made has no effect', async () => {
    await fixture.device();
    await nextAdvertisement(radio, from(DEVICE));
    const abort = new AbortController();
    const link = right(await radio.connect(DEVICE, PROFILE, abort.signal)());
    abort.abort();
    await otherTurns();
    expect(link.ended).to.equal(undefined);
  });
});
