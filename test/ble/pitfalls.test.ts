import { expect } from 'chai';
import { GIVE_WAY_MS } from '../../src/ble/connect-queue.js';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { attLink, AttDevice, Att, refusal, discovering, unanswered } from '../support/att-device.js';
import {
  JUST_OFF,
  CHARACTERISTIC,
  DEVICE,
  LIMITS,
  OTHER_DEVICE,
  linkTo,
  signalled,
  useRig,
} from '../support/bluetooth-fixture.js';
import type { BleError, Link } from '../../src/ble/ports.js';
import { bytes, otherTurns } from '../support/hci-host.js';
import { HciTap } from '../support/hci-tap.js';
import { left, right } from '../support/either.js';

const UNLIKELY_ERROR = 0x0e;
const INVALID_PDU = 0x04;
const value = Buffer.from([1, 2, 3]);

const timeout = (operation: string, ms: number) => ({ _tag: 'Timeout', address: DEVICE, operation, ms });

/** Errors of noble with operations, and their treatment here, with the numbers of the design page. */
describe('noble’s pitfalls with operations', () => {
  const rig = useRig();

  it('1. an ATT error to a write fails it alone: queued operations and the link go on', async () => {
    const { device, link } = await attLink(rig);
    device.answers = { [Att.write]: refusal(UNLIKELY_ERROR) };
    const [refused, queued] = [link.write(CHARACTERISTIC, value)(), link.read(CHARACTERISTIC)()];
    expect(left(await refused)).to.deep.equal({
      ...{ _tag: 'GattFailed', address: DEVICE, operation: 'write', error: UNLIKELY_ERROR },
      reason: 'the device refused: unlikely error (0x0E)',
    });
    expect(right(await queued)).to.deep.equal(Buffer.from([0x2a]));
    device.answers = {};
    expect(E.isRight(await link.write(CHARACTERISTIC, value)())).to.equal(true);
    expect(link.ended).to.equal(undefined);
  });

  it('1. fails a write without a response at its limit, and the queued writes; a new link works', async () => {
    const { device, link } = await attLink(rig);
    const pending = await unanswered(device, Att.write, () => [
      link.write(CHARACTERISTIC, value)(),
      link.read(CHARACTERISTIC)(),
    ]);
    rig.radio.time.advance(LIMITS.gatt);
    for (const operation of pending)
      expect(left(await operation)).to.deep.equal(timeout('write', LIMITS.gatt));
    expect(link.ended).to.deep.equal(timeout('write', LIMITS.gatt));
    expect((await device.host.disconnected()).reason).to.equal(0x13);
    await device.advertiseAgain();
    const again = await rig.link();
    right(await again.write(CHARACTERISTIC, value)());
    expect(again.ended).to.equal(undefined);
  });

  it('2. a refused read fails with the error; a value without bytes does not fail', async () => {
    const { device, link } = await attLink(rig);
    device.answers = { [Att.read]: refusal(UNLIKELY_ERROR) };
    expect(left(await link.read(CHARACTERISTIC)())).to.deep.equal({
      ...{ _tag: 'GattFailed', address: DEVICE, operation: 'read', error: UNLIKELY_ERROR },
      reason: 'the device refused: unlikely error (0x0E)',
    });
    device.answers = { [Att.read]: () => Buffer.from([0x0b]) };
    expect(right(await link.read(CHARACTERISTIC)())).to.deep.equal(Buffer.alloc(0));
    device.answers = {};
    expect(right(await link.read(CHARACTERISTIC)())).to.deep.equal(Buffer.from([0x2a]));
  });

  const closed = { _tag: 'Closed', address: DEVICE };
  const lost = (reason: number) => ({ _tag: 'LinkLost', address: DEVICE, reason });
  const switchOff = () => rig.fixture.server.power('hci0', false);

  const late = { _tag: 'Timeout', address: DEVICE, operation: 'acknowledgement', ms: 5 } as const;
  const ends: readonly (readonly [string, (link: Link) => unknown, cause: object, reason: number])[] = [
    ['is lost', () => rig.air.faults.add({ device: DEVICE, type: 'link_loss', times: 1 }), lost(8), 8],
    ['loses its adapter', switchOff, JUST_OFF, 8],
    ['is closed with its radio', () => rig.radio.close(), closed, 0x13],
    ['is given up', (link) => link.fail(late), late, 0x13],
  ];
  for (const [how, end, cause, reason] of ends) {
    it(`3. a link that ${how} ends pending and later operations, with the reason`, async () => {
      const { device, link } = await attLink(rig);
      const pending = await unanswered<Promise<E.Either<BleError, unknown>>>(device, Att.write, () => [
        ...[link.write(CHARACTERISTIC, value)(), link.read(CHARACTERISTIC)(), link.rssi()],
      ]);
      await end(link);
      for (const operation of pending) expect(left(await operation)).to.deep.equal(cause);
      expect(left(await link.read(CHARACTERISTIC)())).to.deep.equal(cause);
      expect(link.ended).to.deep.equal(cause);
      expect((await device.host.disconnected()).reason).to.equal(reason);
    });
  }

  const abort = new AbortController();
  const discoveryEnds: readonly (readonly [string, (device: AttDevice) => unknown, cause: object])[] = [
    ['the link is lost', (device) => device.disconnect(0x15), lost(0x15)],
    ['the adapter is switched off', switchOff, JUST_OFF],
    ['the radio is closed', () => rig.radio.close(), closed],
    ['its client goes', () => abort.abort(), closed],
  ];
  for (const [when, end, cause] of discoveryEnds) {
    it(`3. a discovery ends when ${when}, with the reason`, async () => {
      const { device, connecting } = await discovering(rig, abort.signal);
      await end(device);
      expect(left(await connecting)).to.deep.equal(cause);
      await device.host.disconnected();
    });
  }

  it('4. one response resolves one write: the second write is sent after it', async () => {
    const { device, link } = await attLink(rig);
    let done = 0;
    const writes = await unanswered(device, Att.write, () =>
      [1, 2].map(async (byte) => {
        right(await link.write(CHARACTERISTIC, Buffer.from([byte]))());
        done += 1;
      }),
    );
    await otherTurns();
    const sent = () =>
      device.requests.filter((request) => request[0] === Att.write).map((request) => request[3]);
    expect(sent()).to.deep.equal([1]);
    device.send(Buffer.from([0x13]));
    await writes[0];
    expect(done).to.equal(1);
    await writes[1];
    expect(sent()).to.deep.equal([1, 2]);
  });

  it('5. connecting has a limit, and the next device in turn is connected', async () => {
    const device = await rig.twoDevices();
    rig.outOfRange();
    const stuck = rig.connect();
    const next = rig.connect(OTHER_DEVICE);
    await otherTurns();
    rig.radio.time.advance(GIVE_WAY_MS);
    expect(right(await next).address).to.equal(OTHER_DEVICE);
    await otherTurns();
    rig.radio.time.advance(LIMITS.connect - GIVE_WAY_MS);
    expect(left(await stuck)).to.deep.equal(timeout('connect', LIMITS.connect));
    expect(device.connected).to.equal(false);
  });

  it('6. aborting a queued connect takes effect at once, without an effect on the current attempt', async () => {
    await rig.twoDevices();
    rig.outOfRange();
    const underWay = rig.connect();
    const abort = new AbortController();
    const queued = rig.connect(OTHER_DEVICE, abort.signal);
    await otherTurns();
    abort.abort();
    expect(left(await queued)).to.deep.equal({ _tag: 'Closed', address: OTHER_DEVICE });
    rig.air.setReception(DEVICE, { inRange: true });
    expect(right(await underWay).address).to.equal(DEVICE);
  });

  it('7. a write that races a disconnect makes no unhandled rejection', async () => {
    const tap = new HciTap(rig.air);
    const other = await rig.fixture.radio({ port: await tap.listen() });
    await AttDevice.on(rig.air, DEVICE);
    const link = await linkTo(other);
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    const raced = signalled<unknown>();
    right(
      await link.subscribe(CHARACTERISTIC, () => {
        void link.write(CHARACTERISTIC, value)().then(raced.fulfil);
      })(),
    );
    // Notification and disconnect in one piece: the write is under way in the tick in which the link ends.
    tap.inject(bytes('02 40 20 08 00 04 00 04 00 1B 03 00 01'), bytes('04 05 04 00 40 00 13'));
    expect(await raced.promise).to.deep.include({
      left: { _tag: 'LinkLost', address: DEVICE, reason: 0x13 },
    });
    await otherTurns();
    process.removeListener('unhandledRejection', onUnhandled);
    expect(unhandled).to.deep.equal([]);
    await other.close();
    await tap.close();
  });

  for (const [title, refusals, end] of [
    ['an MTU exchange refused with Invalid PDU: the discovery limit, then one more link', 1, undefined],
    ['a device that refuses a second MTU exchange is given up', 2, timeout('discovery', LIMITS.discover)],
  ] as const)
    it(`8. ${title}`, async () => {
      const device = await AttDevice.on(rig.air, DEVICE);
      device.answers = { [Att.mtuRequest]: refusal(INVALID_PDU) };
      await rig.heard();
      const connecting = rig.connect();
      for (let refused = 1; refused <= refusals; refused += 1) {
        await device.request(Att.mtuRequest);
        await otherTurns();
        if (refused === refusals) device.answers = {};
        rig.radio.time.advance(LIMITS.discover);
        await device.host.disconnected();
        await device.advertiseAgain();
      }
      const connected = await connecting;
      expect(E.isLeft(connected) ? connected.left : connected.right.ended).to.deep.equal(end);
    });
});
