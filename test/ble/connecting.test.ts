import { expect } from 'chai';
import { describe, it } from 'mocha';
import { DISCONNECT_LIMIT } from '../../src/ble/noble/link.js';
import {
  type Fixture,
  DEVICE,
  LIMITS,
  OTHER_DEVICE,
  PROFILE,
  from,
  nextAdvertisement,
  linkTo,
  type FixtureRadio,
  twoDevices,
  eachFixture,
} from '../support/bluetooth-fixture.js';
import { otherTurns } from '../support/hci-host.js';
import { left, right } from '../support/either.js';

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
    await twoDevices(fixture, radio);
    fixture.air.setReception(DEVICE, { inRange: false });
    const abort = new AbortController();
    const aborted = radio.connect(DEVICE, PROFILE, abort.signal)();
    const next = radio.connect(OTHER_DEVICE, PROFILE)();
    await otherTurns();
    abort.abort();
    expect(left(await aborted)).to.deep.equal(closed);
    expect(right(await next).address).to.equal(OTHER_DEVICE);
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
