import { expect } from 'chai';
import { codeOf, type DiceFixture, eachDie, GREEN, LIMITS, RED } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';

describe('commands to a die', () => {
  let fixture: DiceFixture;
  let die: FakeDie;
  let id: string;
  eachDie((connected) => ({ fixture, die, id } = connected));
  beforeEach(() => die.model.setBattery(57));

  describe('POST /api/taps', () => {
    it('keeps both of two concurrent changes', async () => {
      const change = (taps: object) => fixture.post('/api/taps', { session_id: id, ...taps });
      die.holds.add('SingleTap');
      const both = [change({ single: true }), change({ double: true })];
      await fixture.radio.until(() => die.sent('SingleTap').length > 0);
      await fixture.get('/api/sessions');
      die.release();
      await Promise.all(both);
      expect((await change({ double: true })).body).to.include({ single: true, double: true });
    });
  });

  describe('GET /api/status/:session_id?detail=full', () => {
    it('has the LEDs and the taps that clients set last', async () => {
      const settings = async () => {
        const { body } = await fixture.get(`/api/status/${id}?detail=full`);
        return body;
      };
      expect(await settings()).to.include({ leds: null, taps: null });
      await fixture.post('/api/led', { session_id: id, led1: 'ff8000' });
      await fixture.post('/api/taps', { session_id: id, single: true });
      expect(await settings()).to.deep.include({
        leds: { led1: 'FF8000', led2: '000000' },
        taps: { single: true, double: false },
      });
    });
  });

  describe('GET /api/battery/:session_id', () => {
    it('sends a request to the die, whose response is not an event', async () => {
      const client = await fixture.listen();
      expect((await fixture.get(`/api/battery/${id}`)).body).to.deep.equal({
        session_id: id,
        battery_level: 57,
      });
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ battery_level: 57 });
      die.say({ _tag: 'Battery', level: 56 });
      expect(await client.next()).to.deep.equal({ kind: 'BatteryLevel', level: 56 });
    });

    it('sends one request for all concurrent clients, and accepts any level as the response', async () => {
      die.silent.add('Battery');
      const both = Promise.all([fixture.get(`/api/battery/${id}`), fixture.get(`/api/battery/${id}`)]);
      await fixture.time.armed(LIMITS.answer);
      die.say({ _tag: 'Battery', level: 12 });
      die.silent.clear();
      die.model.setBattery(12);
      for (const { body } of await both) expect(body).to.include({ battery_level: 12 });
    });

    it('accepts a level that comes before the write is acknowledged', async () => {
      die.holds.add('Battery');
      const answer = fixture.get(`/api/battery/${id}`);
      await fixture.radio.until(() => die.sent('Battery').length === 1);
      die.say({ _tag: 'Battery', level: 33 });
      expect((await answer).body).to.include({ battery_level: 33 });
      die.silent.add('Battery');
      die.release();
    });

    it('does not wait for another die', async () => {
      const other = await fixture.die(GREEN);
      die.silent.add('Battery');
      const slow = fixture.get(`/api/battery/${id}`);
      await fixture.time.armed(LIMITS.answer);
      expect((await fixture.get(`/api/battery/${other.id}`)).status).to.equal(200);
      die.say({ _tag: 'Battery', level: 1 });
      await slow;
    });
  });

  describe('POST /api/calibrate', () => {
    const calibrate = (): ReturnType<DiceFixture['post']> =>
      fixture.post('/api/calibrate', { session_id: id });

    it('saturates corrected accelerations', async () => {
      const client = await fixture.listen();
      die.say({ _tag: 'Stable', acceleration: { x: 0, y: 40, z: 0 } });
      await calibrate();
      die.say({ _tag: 'Stable', acceleration: { x: 0, y: 127, z: 0 } });
      expect((await client.take(2)).at(-1)).to.include({ face: 3 });
    });

    it('forgets the offset when the shell changes', async () => {
      die.say({ _tag: 'Stable', acceleration: { x: 40, y: 45, z: 0 } });
      await calibrate();
      await fixture.connect(RED, 'd20');
      await fixture.connect(RED, 'd6');
      die.say({ _tag: 'Stable', acceleration: { x: 45, y: 25, z: 0 } });
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ face: 6 });
    });

    for (const [when, end, code] of [
      ['the link is lost', () => die.lose(), 'link_lost'],
      [
        'the session is ended',
        () => fixture.post('/api/disconnect', { session_id: id }),
        'session_not_found',
      ],
      ['the server ends', () => fixture.server.close(), 'shutting_down'],
    ] as const) {
      it(`fails at once when ${when}`, async () => {
        die.say({ _tag: 'RollStart' });
        const answer = calibrate();
        await fixture.time.armed(LIMITS.calibrate);
        await end();
        expect(codeOf(await answer)).to.equal(code);
      });
    }
  });
});
