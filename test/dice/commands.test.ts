import { expect } from 'chai';
import { codeOf, type DiceFixture, eachDie, GREEN, LIMITS, RED } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';

describe('commands to a die', () => {
  let fixture: DiceFixture;
  let die: FakeDie;
  let id: string;
  eachDie((connected) => ({ fixture, die, id } = connected));
  beforeEach(() => die.model.setBattery(57));

  describe('POST /api/led', () => {
    const led = (body: object): ReturnType<DiceFixture['post']> =>
      fixture.post('/api/led', { session_id: id, ...body });

    it('sets both LEDs and answers what is lit', async () => {
      expect((await led({ led1: '#ff8000', led2: '00Ff01' })).body).to.deep.equal({
        session_id: id,
        led1: 'FF8000',
        led2: '00FF01',
      });
      expect(die.sent('Leds')).to.deep.equal([
        { _tag: 'Leds', led1: { r: 255, g: 128, b: 0 }, led2: { r: 0, g: 255, b: 1 } },
      ]);
    });

    it('keeps the colour of the LED that is left out; both are dark at first', async () => {
      expect((await led({ led2: '0000FF' })).body).to.include({ led1: '000000', led2: '0000FF' });
      expect((await led({ led1: 'FF0000' })).body).to.include({ led1: 'FF0000', led2: '0000FF' });
      expect((await led({ led2: '000000' })).body).to.include({ led1: 'FF0000', led2: '000000' });
    });

    const bad: readonly (readonly [string, object, string])[] = [
      ['no colour', {}, 'led1 and led2 are missing: at least one of them must be given'],
      [
        'a short colour',
        { led1: 'FF00' },
        'led1 must be six hex digits RRGGBB, with or without a leading #, got "FF00"',
      ],
      [
        'a colour name',
        { led2: 'red' },
        'led2 must be six hex digits RRGGBB, with or without a leading #, got "red"',
      ],
      ['a number', { led1: 255 }, 'led1 must be six hex digits RRGGBB, with or without a leading #, got 255'],
      [
        'colours of null',
        { led1: null, led2: null },
        'led1 and led2 are missing: at least one of them must be given',
      ],
      ['no session', { session_id: undefined, led1: 'FF0000' }, 'session_id is missing: it must be a string'],
      ['a session that is a number', { session_id: 1, led1: 'FF0000' }, 'session_id must be a string, got 1'],
    ];
    for (const [what, body, error] of bad) {
      it(`refuses ${what}`, async () => {
        expect(await led(body)).to.deep.include({ status: 400, body: { error, code: 'invalid_input' } });
        expect(die.sent('Leds')).to.deep.equal([]);
      });
    }

    it('does not take a colour that failed for lit', async () => {
      await led({ led1: 'FF0000' });
      die.refuses.set('Leds', die.refusal('write'));
      expect(codeOf(await led({ led1: '00FF00' }))).to.equal('gatt_failed');
      die.refuses.clear();
      expect((await led({ led2: '0000FF' })).body).to.include({ led1: 'FF0000', led2: '0000FF' });
    });
  });

  describe('POST /api/pulse', () => {
    it('blinks', async () => {
      const body = { session_id: id, count: 3, on_ms: 100, off_ms: 50, color: 'FF0000', leds: 'led2' };
      expect((await fixture.post('/api/pulse', body)).body).to.deep.equal(body);
      expect(die.sent('Pulse')).to.deep.equal([
        {
          _tag: 'Pulse',
          count: 3,
          onMs: 100,
          offMs: 50,
          colour: { r: 255, g: 0, b: 0 },
          mode: 'parallel',
          leds: 'led2',
        },
      ]);
    });

    it('sets both LEDs by default', async () => {
      const body = { session_id: id, count: 1, on_ms: 10, off_ms: 0, color: '00ff00' };
      expect((await fixture.post('/api/pulse', body)).body).to.include({ leds: 'both', color: '00FF00' });
    });

    const fine = { count: 1, on_ms: 10, off_ms: 10, color: 'FF0000' };
    const bad: readonly object[] = [
      { count: 0 },
      { count: 256 },
      { count: '1' },
      { on_ms: 15 },
      { off_ms: 2560 },
      { color: 'blue' },
      { leds: 'led3' },
      { on_ms: undefined },
    ];
    for (const change of bad) {
      it(`refuses ${JSON.stringify(change)}`, async () => {
        const answer = await fixture.post('/api/pulse', { session_id: id, ...fine, ...change });
        expect([answer.status, codeOf(answer)]).to.deep.equal([400, 'invalid_input']);
        expect(die.sent('Pulse')).to.deep.equal([]);
      });
    }
  });

  describe('POST /api/taps', () => {
    it('switches taps on and off; what is left out stays', async () => {
      expect((await fixture.post('/api/taps', { session_id: id, single: true })).body).to.deep.equal({
        session_id: id,
        single: true,
        double: false,
      });
      expect((await fixture.post('/api/taps', { session_id: id, double: true })).body).to.include({
        single: true,
        double: true,
      });
      expect(die.sent('SingleTap').at(-1)).to.deep.equal({ _tag: 'SingleTap', on: true });
      expect(die.sent('DoubleTap').at(-1)).to.deep.equal({ _tag: 'DoubleTap', on: true });
    });

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

    it('refuses a request without any change', async () => {
      expect((await fixture.post('/api/taps', { session_id: id })).body).to.deep.equal({
        error: 'single and double are missing: at least one of them must be given',
        code: 'invalid_input',
      });
      expect((await fixture.post('/api/taps', { session_id: id, single: 'yes' })).status).to.equal(400);
    });
  });

  describe('GET /api/battery/:session_id', () => {
    it('sends a request to the die, and makes no event of the response', async () => {
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

    it('ends the link of a die that does not answer, and begins to reconnect', async () => {
      const client = await fixture.listen();
      die.silent.add('Battery');
      const battery = fixture.get(`/api/battery/${id}`);
      await fixture.time.armed(LIMITS.answer);
      die.holds.add('Leds');
      const led = fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
      await fixture.radio.until(() => die.sent('Leds').length === 1);
      fixture.time.advance(LIMITS.answer);
      expect(await battery).to.deep.include({
        status: 500,
        body: {
          error: `device ${RED} did not answer the battery request within 5.003 s`,
          code: 'answer_timeout',
        },
      });
      expect(await led).to.deep.include({
        status: 500,
        body: { error: `device ${RED}: the battery answer took longer than 5.003 s`, code: 'timeout' },
      });
      expect(await client.next()).to.deep.equal({ kind: 'Disconnected' });
      die.holds.clear();
      await fixture.radio.heeded;
      fixture.radio.advertise(die);
      expect(await client.next()).to.deep.equal({ kind: 'Reconnected' });
      expect(client.unread).to.deep.equal([]);
    });

    it('fails immediately when the link is lost, or the write fails', async () => {
      die.silent.add('Battery');
      const battery = fixture.get(`/api/battery/${id}`);
      await fixture.time.armed(LIMITS.answer);
      die.lose();
      expect(codeOf(await battery)).to.equal('link_lost');
    });

    it('says so when the write fails', async () => {
      die.refuses.set('Battery', die.refusal('write'));
      expect(codeOf(await fixture.get(`/api/battery/${id}`))).to.equal('gatt_failed');
      die.refuses.clear();
      expect((await fixture.get(`/api/battery/${id}`)).status).to.equal(200);
    });

    it('gets a response from a die that was silent after initialising, and keeps the link', async () => {
      const client = await fixture.listen();
      const quiet = fixture.radio.add(GREEN);
      quiet.burst = [];
      quiet.model.setBattery(57);
      const connecting = fixture.connect(GREEN);
      await fixture.time.pass(1_000);
      const session_id = await connecting;
      expect((await fixture.get(`/api/battery/${session_id}`)).body).to.deep.equal({
        session_id,
        battery_level: 57,
      });
      expect((await fixture.get(`/api/status/${session_id}`)).body).to.include({
        connected: true,
        battery_level: 57,
      });
      quiet.say({ _tag: 'Battery', level: 57 });
      quiet.say({ _tag: 'Tap' });
      expect(await client.next()).to.deep.equal({ kind: 'Tap' });
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

    it('of an unknown session is 404', async () => {
      const answer = await fixture.get('/api/battery/no%2Fsuch');
      expect(answer).to.deep.include({
        status: 404,
        body: { error: 'session "no/such" is not known', code: 'session_not_found' },
      });
    });

    it('cuts a long session id in its message', async () => {
      const { body } = await fixture.post('/api/calibrate', { session_id: '🎲'.repeat(5_000) });
      expect(body).to.include({ error: `session "${'🎲'.repeat(30)}…" is not known` });
    });
  });

  describe('POST /api/calibrate', () => {
    const calibrate = (): ReturnType<DiceFixture['post']> =>
      fixture.post('/api/calibrate', { session_id: id });

    it('uses the last rest of a die that lies still', async () => {
      expect((await calibrate()).body).to.deep.equal({
        session_id: id,
        face: 3,
        offset: { x: -1, y: 1, z: 2 },
      });
    });

    it('corrects every later face and leaves the acceleration as measured', async () => {
      const client = await fixture.listen();
      die.say({ _tag: 'Stable', acceleration: { x: 40, y: 45, z: 0 } });
      expect((await calibrate()).body).to.deep.include({ face: 3, offset: { x: -40, y: 19, z: 0 } });
      die.say({ _tag: 'Stable', acceleration: { x: 45, y: 25, z: 0 } });
      expect(await client.take(2)).to.deep.equal([
        { kind: 'Stable', face: 3, acceleration: { x: 40, y: 45, z: 0 } },
        { kind: 'Stable', face: 3, acceleration: { x: 45, y: 25, z: 0 } },
      ]);
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ face: 3 });
    });

    it('saturates what it corrects', async () => {
      const client = await fixture.listen();
      die.say({ _tag: 'Stable', acceleration: { x: 0, y: 40, z: 0 } });
      await calibrate();
      die.say({ _tag: 'Stable', acceleration: { x: 0, y: 127, z: 0 } });
      expect((await client.take(2)).at(-1)).to.include({ face: 3 });
    });

    it('forgets the offset with the shell it was measured with', async () => {
      die.say({ _tag: 'Stable', acceleration: { x: 40, y: 45, z: 0 } });
      await calibrate();
      await fixture.connect(RED, 'd20');
      await fixture.connect(RED, 'd6');
      die.say({ _tag: 'Stable', acceleration: { x: 45, y: 25, z: 0 } });
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ face: 6 });
    });

    it('waits for a die that moves or leans', async () => {
      die.say({ _tag: 'RollStart' });
      const answer = calibrate();
      await fixture.time.armed(LIMITS.calibrate);
      die.say({ _tag: 'TiltStable', acceleration: { x: 30, y: 30, z: 30 } });
      die.say({ _tag: 'MoveStable', acceleration: { x: 60, y: 1, z: 0 } });
      expect((await answer).body).to.deep.include({ face: 6, offset: { x: 4, y: -1, z: 0 } });
    });

    it('fails when the die never rests', async () => {
      die.say({ _tag: 'RollStart' });
      const answer = calibrate();
      await fixture.time.pass(LIMITS.calibrate);
      expect(await answer).to.deep.include({
        status: 500,
        body: {
          error: `device ${RED} did not lie still on a face within 10.004 s`,
          code: 'calibration_failed',
        },
      });
    });

    it('fails immediately when the link is lost or the session ends', async () => {
      die.say({ _tag: 'RollStart' });
      const first = calibrate();
      await fixture.time.armed(LIMITS.calibrate);
      die.lose();
      expect(codeOf(await first)).to.equal('link_lost');
    });

    it('is 404 when the session is ended during it', async () => {
      die.say({ _tag: 'RollStart' });
      const answer = calibrate();
      await fixture.time.armed(LIMITS.calibrate);
      await fixture.post('/api/disconnect', { session_id: id });
      expect((await answer).status).to.equal(404);
    });

    it('is given up when the server ends', async () => {
      die.say({ _tag: 'RollStart' });
      const answer = calibrate();
      await fixture.time.armed(LIMITS.calibrate);
      await fixture.server.close();
      expect(codeOf(await answer)).to.equal('shutting_down');
    });
  });
});
