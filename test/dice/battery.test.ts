import { expect } from 'chai';
import { describe, it } from 'mocha';
import { BATTERY_MS } from '../../src/dice/session.js';
import { eachDie, eachFixture, LIMITS, RED, type DiceFixture } from '../support/dice-fixture.js';
import { BURST, type FakeDie } from '../support/fake-die.js';
import { otherTurns } from '../support/hci-host.js';

describe('The battery level of a die', () => {
  let fixture: DiceFixture;
  let die: FakeDie;
  let id: string;
  eachDie((connected) => ({ fixture, die, id } = connected));

  const asked = (): number => die.sent('Battery').length;
  const isAsked = (times: number): Promise<void> => fixture.radio.until(() => asked() === times);
  const statusLevel = async (): Promise<unknown> => {
    const { body } = await fixture.get(`/api/status/${id}`);
    return (body as { readonly battery_level: unknown }).battery_level;
  };

  /** Lets the die wait for its next question, and returns a client that is there before the die gets it. */
  const atQuestion = async (times: number) => {
    die.holds.add('Battery');
    await fixture.time.pass(BATTERY_MS);
    await isAsked(times);
    const client = await fixture.listen();
    die.release();
    return client;
  };

  for (const [event, changed, level] of [
    ['an event if it has changed', 41, 41],
    ['no event if it has not', 80, undefined],
  ] as const) {
    it(`is asked for again and again while the die lies still, and makes ${event}`, async () => {
      await atQuestion(1);
      await fixture.time.armed(BATTERY_MS);
      die.model.setBattery(changed);
      const client = await atQuestion(2);
      await fixture.time.armed(BATTERY_MS);
      die.say({ _tag: 'Tap' });
      const expected = level === undefined ? [] : [{ kind: 'BatteryLevel', level }];
      expect(await client.take(expected.length + 1)).to.deep.equal([...expected, { kind: 'Tap' }]);
      expect(await statusLevel()).to.equal(changed);
    });
  }

  it('may be an answer that comes late, and none keeps the link', async () => {
    die.silent.add('Battery');
    await atQuestion(1);
    fixture.time.advance(2 * LIMITS.answer);
    const client = await fixture.listen();
    // "Bat", 57 per cent.
    die.sayBytes(Buffer.from('42617439', 'hex'));
    expect(await client.next()).to.deep.equal({ kind: 'BatteryLevel', level: 57 });
    await atQuestion(2);
    expect(await statusLevel()).to.equal(57);
    expect(die.link).to.not.equal(undefined);
  });

  it('is not asked for while the die rolls, but as soon as it lies still', async () => {
    die.say({ _tag: 'RollStart' });
    await fixture.time.pass(BATTERY_MS);
    await otherTurns();
    expect(asked()).to.equal(0);
    die.say({ _tag: 'Stable', acceleration: { x: 64, y: 0, z: 0 } });
    await isAsked(1);
  });

  it('is asked for beside a calibration, which goes on', async () => {
    die.say({ _tag: 'TiltStable', acceleration: { x: 40, y: 45, z: 0 } });
    fixture.time.advance(BATTERY_MS - LIMITS.calibrate / 2);
    const calibration = fixture.post('/api/calibrate', { session_id: id });
    await fixture.time.armed(LIMITS.calibrate);
    fixture.time.advance(LIMITS.calibrate / 2);
    await isAsked(1);
    die.say({ _tag: 'Stable', acceleration: { x: 40, y: 45, z: 0 } });
    expect((await calibration).status).to.equal(200);
  });

  it('is not asked for on a link that has ended', async () => {
    die.say({ _tag: 'RollStart' });
    await fixture.time.pass(BATTERY_MS);
    const client = await fixture.listen();
    die.lose();
    expect(await client.next()).to.deep.equal({ kind: 'Disconnected' });
    await fixture.radio.heard(die);
    expect(await client.next()).to.deep.equal({ kind: 'Reconnected' });
    expect(asked()).to.equal(0);
    await fixture.time.pass(BATTERY_MS);
    await isAsked(1);
  });
});

describe('The battery level of a die that does not report it when its link begins', () => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));

  it('is asked for at once, and makes no event', async () => {
    const client = await fixture.listen();
    const die = fixture.radio.add(RED);
    die.burst = BURST.filter(({ _tag }) => _tag !== 'Battery');
    const connecting = fixture.connect(RED);
    await fixture.time.pass(1_000);
    const id = await connecting;
    await fixture.radio.until(() => die.sent('Battery').length === 1);
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ battery_level: 80 });
    die.say({ _tag: 'Tap' });
    expect(await client.next()).to.deep.equal({ kind: 'Tap' });
  });
});
