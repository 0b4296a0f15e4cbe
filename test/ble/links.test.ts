import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { DISCONNECT_LIMIT } from '../../src/ble/noble/link.js';
import type { Link } from '../../src/ble/ports.js';
import { type AttDevice, Att, attLink, refusal, unanswered } from '../support/att-device.js';
import { CHARACTERISTIC, DEVICE, LIMITS, useRig } from '../support/bluetooth-fixture.js';
import { otherTurns } from '../support/hci-host.js';
import { left, right } from '../support/either.js';

const QUEUE = 64;
const READ_RSSI = 0x1405;
const value = Buffer.from([1, 2, 3]);

describe('A link', () => {
  const rig = useRig();
  let device: AttDevice;
  let link: Link;

  beforeEach(async () => {
    ({ device, link } = await attLink(rig));
  });

  it('queues a limited number of operations, and refuses more with Busy', async () => {
    const write = () => link.write(CHARACTERISTIC, value)();
    const taken = await unanswered(device, Att.write, () => Array.from({ length: QUEUE + 1 }, write));
    expect(left(await write())).to.deep.equal({ _tag: 'Busy', address: DEVICE });
    device.send(Buffer.from([0x13]));
    expect((await Promise.all(taken)).map(right)).to.have.length(QUEUE + 1);
    expect(E.isRight(await write())).to.equal(true);
  });

  it('reports its end once, even to later listeners, but not to removed listeners', async () => {
    const ends: string[] = [];
    link.onEnd(({ _tag }) => ends.push(`first ${_tag}`));
    link.onEnd(({ _tag }) => ends.push(`gone ${_tag}`))();
    await link.disconnect();
    await link.disconnect();
    link.onEnd(({ _tag }) => ends.push(`late ${_tag}`));
    expect(ends).to.deep.equal(['first Closed', 'late Closed']);
  });

  it('is not made again after a loss before the device advertises', async () => {
    const lost = new Promise((resolve) => link.onEnd(resolve));
    rig.air.faults.add({ device: DEVICE, type: 'link_loss', times: 1 });
    expect(await lost).to.include({ _tag: 'LinkLost' });
    expect(rig.radio.lastAdvertisement(DEVICE)).to.equal(undefined);
    expect(left(await rig.radio.connect(DEVICE, [])())).to.deep.equal({ _tag: 'NotFound', address: DEVICE });
  });

  it('delivers notifications in order, and none after the end', async () => {
    const received: (number | undefined)[] = [];
    right(await link.subscribe(CHARACTERISTIC, ([first]) => received.push(first))());
    for (let index = 0; index < 50; index++) device.notify(Buffer.from([index]));
    right(await link.read(CHARACTERISTIC)());
    expect(received).to.deep.equal(Array.from({ length: 50 }, (_, index) => index));
    device.notify(value);
    await link.disconnect();
    await otherTurns();
    expect(received).to.have.length(50);
  });

  it('delivers a notification in two packets, and drops a notification of an unknown handle', async () => {
    const received: Buffer[] = [];
    right(await link.subscribe(CHARACTERISTIC, (bytes) => received.push(bytes))());
    device.notify(value, 8);
    device.send(Buffer.from([Att.notification, 99, 0, 1]));
    device.notify(Buffer.alloc(0));
    right(await link.read(CHARACTERISTIC)());
    expect(received).to.deep.equal([value, Buffer.alloc(0)]);
    expect(rig.radio.warnings).to.deep.equal([]);
  });

  for (const [reaction, opcode] of [
    ['refuses it', Att.write],
    ['has no place for it', Att.readByType],
  ] as const) {
    it(`reports at once a subscription that fails as the device ${reaction}, and continues`, async () => {
      const received: Buffer[] = [];
      const subscription = link.subscribe(CHARACTERISTIC, (bytes) => received.push(bytes));
      device.answers = { [opcode]: refusal(0x03) };
      const reason = 'the device refused: write not permitted (0x03)';
      expect(left(await subscription())).to.deep.equal({
        ...{ _tag: 'GattFailed', address: DEVICE, operation: 'subscription', reason, error: 0x03 },
      });
      device.answers = {};
      device.notify(value);
      right(await link.read(CHARACTERISTIC)());
      expect(received).to.deep.equal([]);
      right(await subscription());
      device.notify(value);
      right(await link.read(CHARACTERISTIC)());
      expect(received).to.deep.equal([value]);
    });
  }

  it('does not mistake a notification for the response to a read', async () => {
    right(await link.subscribe(CHARACTERISTIC, () => undefined)());
    const [reading] = await unanswered(device, Att.read, () => [link.read(CHARACTERISTIC)()]);
    device.notify(Buffer.from('notification'));
    device.send(Buffer.from([0x0b, 7]));
    expect(reading && right(await reading)).to.deep.equal(Buffer.from([7]));
  });

  it('writes with response if the characteristic allows it, and without on request', async () => {
    right(await link.write(CHARACTERISTIC, value)());
    right(await link.write(CHARACTERISTIC, value, true)());
    right(await link.read(CHARACTERISTIC)());
    const opcodes = device.requests.map(([opcode]) => opcode);
    expect(opcodes.slice(-3)).to.deep.equal([Att.write, Att.writeCommand, Att.read]);
  });

  it('ends when the device sends the response to another request', async () => {
    device.answers = { [Att.write]: () => Buffer.from([0x0b, 7]) };
    const pending = [link.write(CHARACTERISTIC, value)(), link.read(CHARACTERISTIC)()];
    const cause = {
      ...{ _tag: 'GattFailed', address: DEVICE, operation: 'request' },
      reason: 'the response makes no sense: 0b07',
    };
    expect((await Promise.all(pending)).map(left)).to.deep.equal([cause, cause]);
    expect(link.ended).to.deep.equal(cause);
    expect((await device.host.disconnected()).reason).to.equal(0x13);
  });

  it('has the lesser of the requested MTU and the MTU of the device', async () => {
    expect(link.mtu).to.equal(23);
    await link.disconnect();
    device.answers = { [Att.mtuRequest]: () => Buffer.from([0x03, 0x05, 0x02]) };
    await device.advertiseAgain();
    expect((await rig.link()).mtu).to.equal(256);
  });

  it('reads its signal strength', async () => {
    rig.air.setReception(DEVICE, { rssi: -77 });
    expect(right(await link.rssi())).to.equal(-77);
    rig.air.setReception(DEVICE, { rssi: null });
    expect(right(await link.rssi())).to.equal(null);
  });

  it('goes on if the adapter does not answer a read of its signal', async () => {
    rig.air.faults.add({ device: 'hci0', type: 'unanswered_command', opcode: READ_RSSI, times: 1 });
    const signal = link.rssi();
    await otherTurns();
    rig.radio.time.advance(LIMITS.gatt);
    expect([right(await signal), link.ended]).to.deep.equal([null, undefined]);
    // The controller accepts no other command before it has answered.
    const gone = link.disconnect();
    rig.radio.time.advance(DISCONNECT_LIMIT);
    await gone;
  });

  it('performs the operations before and after an operation that throws', async () => {
    const defect = new Error('a defect');
    const fails = (): never => {
      throw defect;
    };
    const operations = [
      link.read(CHARACTERISTIC)(),
      link.write(CHARACTERISTIC, value, false, fails)(),
      link.read(CHARACTERISTIC)(),
    ].map((operation) => operation.catch((thrown: unknown) => thrown));
    const [first, second, third] = await Promise.all(operations);
    expect([first, second, third]).to.deep.equal([
      E.right(Buffer.of(0x2a)),
      defect,
      E.right(Buffer.of(0x2a)),
    ]);
    expect([rig.radio.time.pending, link.ended]).to.deep.equal([1, undefined]);
  });

  it('reports whether a characteristic notifies, and refuses a characteristic that was not discovered', async () => {
    expect([CHARACTERISTIC, 'ffff'].map((uuid) => link.notifies(uuid))).to.deep.equal([true, false]);
    const error = left(await link.read('ffff')());
    const reason = 'characteristic ffff was not discovered';
    expect(error).to.deep.equal({ _tag: 'GattFailed', address: DEVICE, operation: 'read', reason });
  });

  it('counts as ended even if the controller does not answer the disconnect', async () => {
    rig.outOfRange();
    const gone = link.disconnect();
    expect(link.ended).to.deep.equal({ _tag: 'Closed', address: DEVICE });
    await otherTurns();
    rig.radio.time.advance(2000);
    await gone;
    expect(rig.radio.counts.links).to.equal(0);
  });

  it('delivers a write that is longer than a packet, whole', async () => {
    const received: Buffer[] = [];
    await link.disconnect();
    await rig.device({
      address: 'D2:00:00:00:00:07',
      characteristic: {
        onWrite: (written) => {
          received.push(written);
          return 0;
        },
      },
    });
    const other = await rig.link('D2:00:00:00:00:07');
    const long = Buffer.from(Array.from({ length: 500 }, (_, index) => index & 0xff));
    right(await other.write(CHARACTERISTIC, long)());
    expect(received).to.deep.equal([long]);
  });

  it('limits each operation from its beginning, without its time in the queue', async () => {
    device.answers = { [Att.write]: () => undefined };
    const requested = device.request(Att.write);
    const [first, second] = [link.write(CHARACTERISTIC, value)(), link.write(CHARACTERISTIC, value)()];
    await requested;
    rig.radio.time.advance(LIMITS.gatt - 1);
    const next = device.request(Att.write);
    device.send(Buffer.from([0x13]));
    right(await first);
    await next;
    rig.radio.time.advance(LIMITS.gatt - 1);
    device.send(Buffer.from([0x13]));
    expect(E.isRight(await second)).to.equal(true);
  });
});
