import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { DetailedDiceEvent, DiceEvent } from '../../src/dice/contract.js';
import type { Notification } from '../../src/dice/drivers/godice/protocol/index.js';
import { type DiceFixture, eachFixture, GREEN, RED } from '../support/dice-fixture.js';

describe('GET /ws', () => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));

  const acceleration = { x: 0, y: 0, z: -64 };

  it('says what the die says, in its order, with the fields of the contract and no other', async () => {
    const { die } = await fixture.die(RED);
    const client = await fixture.listen();
    const said: readonly (readonly [Notification, object])[] = [
      [{ _tag: 'RollStart' }, { kind: 'RollStart' }],
      [
        { _tag: 'Stable', acceleration },
        { kind: 'Stable', face: 5, acceleration },
      ],
      [
        { _tag: 'TiltStable', acceleration },
        { kind: 'TiltStable', face: 5, acceleration },
      ],
      [
        { _tag: 'FakeStable', acceleration },
        { kind: 'FakeStable', face: 5, acceleration },
      ],
      [
        { _tag: 'MoveStable', acceleration },
        { kind: 'MoveStable', face: 5, acceleration },
      ],
      [
        { _tag: 'Charging', on: true },
        { kind: 'Charging', charging: true },
      ],
      [
        { _tag: 'Battery', level: 99 },
        { kind: 'BatteryLevel', level: 99 },
      ],
      [{ _tag: 'Tap' }, { kind: 'Tap' }],
      [{ _tag: 'DoubleTap' }, { kind: 'DoubleTap' }],
    ];
    die.say(...said.map(([notification]) => notification));
    const events = await client.take(said.length);
    expect(events).to.deep.equal(said.map(([, event]) => event));
    for (const event of events) expect(E.isRight(DiceEvent.decode(event))).to.equal(true);
  });

  it('passes over what is no notification, and what is not for clients', async () => {
    const { die, id } = await fixture.die(RED);
    const client = await fixture.listen();
    for (const hex of ['', '53', '53000040ff', 'ff', '42617465']) die.sayBytes(Buffer.from(hex, 'hex'));
    die.say({ _tag: 'Calibration', status: 1 }, { _tag: 'Colour', colour: 'green' }, { _tag: 'Tap' });
    expect(await client.next()).to.deep.equal({ kind: 'Tap' });
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ color: 'green' });
  });

  it('keeps a face of 0 a face', async () => {
    fixture.radio.add(RED);
    const id = await fixture.connect(RED, 'd10x');
    const client = await fixture.listen();
    const zero = { x: 64, y: 0, z: -22 };
    const { die } = await fixture.die(GREEN);
    await fixture.connect(GREEN, 'd10');
    die.say({ _tag: 'Stable', acceleration: zero });
    expect(await client.next()).to.deep.equal({ kind: 'Stable', face: 0, acceleration: zero });
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ dice_type: 'd10x' });
  });

  it('shows the roll in the status', async () => {
    const { die, id } = await fixture.die(RED);
    const status = async (): Promise<unknown> => (await fixture.get(`/api/status/${id}`)).body;
    die.say({ _tag: 'RollStart' });
    expect(await status()).to.include({ rolling: true, face: null });
    die.say({ _tag: 'Stable', acceleration });
    expect(await status()).to.include({ rolling: false, face: 5 });
    die.say({ _tag: 'Charging', on: true }, { _tag: 'Battery', level: 100 });
    expect(await status()).to.include({ charging: true, battery_level: 100 });
  });

  it('has more fields with ?detail=full', async () => {
    const client = await fixture.listen('?detail=full');
    const { die, id } = await fixture.die(RED);
    die.say({ _tag: 'Tap' }, { _tag: 'Stable', acceleration });
    const [first, second] = await client.take(2);
    const detail = { session_id: id, address: RED, time: '2026-01-02T03:04:05.000Z', instance: 'id-0' };
    expect(first).to.deep.equal({ kind: 'Tap', ...detail, seq: 1 });
    expect(second).to.deep.equal({ kind: 'Stable', face: 5, acceleration, ...detail, seq: 2 });
    expect(E.isRight(DetailedDiceEvent.decode(second))).to.equal(true);
  });

  it('sends only the dice of the subscription', async () => {
    const red = await fixture.die(RED);
    const green = await fixture.die(GREEN);
    const one = await fixture.listen(`?session_id=${red.id}&detail=full`);
    const both = await fixture.listen(`?session_id=${red.id}&session_id=${green.id}`);
    green.die.say({ _tag: 'Tap' });
    red.die.say({ _tag: 'DoubleTap' });
    expect(await one.next()).to.include({ kind: 'DoubleTap', address: RED, seq: 2 });
    expect(await both.take(2)).to.deep.equal([{ kind: 'Tap' }, { kind: 'DoubleTap' }]);
  });

  it('refuses another detail and a session that is not known', async () => {
    expect(await fixture.refusedStream('?detail=more')).to.deep.include({
      status: 400,
      body: { error: 'detail must be full, got "more"', code: 'invalid_input' },
    });
    expect(await fixture.refusedStream('?session_id=nobody')).to.deep.include({
      status: 404,
      body: { error: 'session "nobody" is not known', code: 'session_not_found' },
    });
  });

  it('ignores messages of clients', async () => {
    const { die } = await fixture.die(RED);
    const client = await fixture.listen();
    client.socket.send('{"action":"Scan"}');
    client.socket.send(Buffer.from([1, 2, 3]));
    await fixture.get('/health');
    die.say({ _tag: 'Tap' });
    expect(await client.next()).to.deep.equal({ kind: 'Tap' });
  });

  it('reports the end of all dice to all clients before it closes', async () => {
    await fixture.die(RED);
    await fixture.die(GREEN);
    const client = await fixture.listen();
    await fixture.server.close();
    expect(await client.take(2)).to.deep.equal([{ kind: 'Disconnected' }, { kind: 'Disconnected' }]);
    expect(await client.closed).to.equal(1001);
  });
});
