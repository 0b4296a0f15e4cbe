import { expect } from 'chai';
import { abandon } from '../support/client.js';
import { type DiceFixture, eachDie, LIMITS, RED, startFixture } from '../support/dice-fixture.js';
import { BURST, type FakeDie } from '../support/fake-die.js';
import { otherTurns } from '../support/hci-host.js';

describe('a link loss', () => {
  let fixture: DiceFixture;
  let die: FakeDie;
  let id: string;
  eachDie((connected) => ({ fixture, die, id } = connected));

  it('restores LEDs and taps, and does not request the colour again', async () => {
    await fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
    await fixture.post('/api/taps', { session_id: id, double: true });
    const client = await fixture.listen();
    die.commands = [];
    die.lose();
    await fixture.radio.heard(die);
    await client.take(2);
    expect(die.commands.map(({ _tag }) => _tag)).to.deep.equal([
      'Initialise',
      'Leds',
      'SingleTap',
      'DoubleTap',
    ]);
    expect(die.commands[1]).to.deep.include({ led1: { r: 255, g: 0, b: 0 } });
  });

  it('says until when the server looks for the die', async () => {
    const { time } = fixture;
    const lostUntil = async (): Promise<unknown> => {
      const { body } = await fixture.get(`/api/status/${id}?detail=full`);
      return (body as { readonly lost_until: unknown }).lost_until;
    };
    expect(await lostUntil()).to.equal(null);
    die.lose();
    expect(await lostUntil()).to.equal(new Date(time.date().getTime() + LIMITS.reconnect).toISOString());
    await fixture.patch(RED, { keep_connected: true });
    expect(await lostUntil()).to.equal(null);
  });

  const ACCELERATION_OF_6 = { x: 64, y: 0, z: 0 };

  for (const [when, rest] of [
    ['another', { _tag: 'Stable', acceleration: ACCELERATION_OF_6 }],
    ['the same', { _tag: 'TiltStable', acceleration: { x: 1, y: 63, z: -2 } }],
  ] as const) {
    it(`reports the end of a roll that began before it, on ${when} face, once and after Reconnected`, async () => {
      const client = await fixture.listen();
      die.say({ _tag: 'RollStart' });
      die.lose();
      die.burst = [{ _tag: 'Battery', level: 80 }, rest, { _tag: 'Charging', on: false }];
      await fixture.radio.heard(die);
      expect(await client.take(3)).to.deep.equal([
        { kind: 'RollStart' },
        { kind: 'Disconnected' },
        { kind: 'Reconnected' },
      ]);
      expect(await client.next()).to.deep.include({ kind: rest._tag, acceleration: rest.acceleration });
      die.say({ _tag: 'Tap' });
      expect(await client.next()).to.deep.equal({ kind: 'Tap' });
    });
  }

  it('makes no event of a face that changes only with its shell', async () => {
    const client = await fixture.listen();
    die.lose();
    const answer = fixture.connect(RED, 'd20');
    await fixture.time.armed(LIMITS.reconnect);
    fixture.radio.advertise(die);
    await answer;
    die.say({ _tag: 'Tap' });
    expect(await client.take(3)).to.deep.equal([
      { kind: 'Disconnected' },
      { kind: 'Reconnected' },
      { kind: 'Tap' },
    ]);
  });

  it('makes a connect wait, even if another loss begins as soon as the die is back', async () => {
    die.lose();
    const answer = fixture.post('/api/connect', { address: RED });
    await fixture.time.armed(LIMITS.reconnect);
    die.burst = [];
    fixture.radio.advertise(die);
    await otherTurns();
    die.say(...BURST);
    die.lose();
    die.burst = undefined;
    await fixture.radio.heard(die);
    expect((await answer).body).to.deep.equal({ session_id: id });
  });

  it('is ended by disconnect at once while the LEDs are being restored', async () => {
    await fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
    die.lose();
    die.holds.add('Leds');
    die.commands = [];
    await fixture.radio.heard(die);
    await fixture.radio.until(() => die.sent('Leds').length === 1);
    expect((await fixture.post('/api/disconnect', { session_id: id })).status).to.equal(200);
    expect(die.link).to.equal(undefined);
  });

  it('keeps the calibration', async () => {
    die.say({ _tag: 'Stable', acceleration: { x: 40, y: 45, z: 0 } });
    await fixture.post('/api/calibrate', { session_id: id });
    const client = await fixture.listen();
    die.lose();
    await fixture.radio.heard(die);
    await client.take(2);
    die.say({ _tag: 'Stable', acceleration: { x: 45, y: 25, z: 0 } });
    expect(await client.next()).to.include({ face: 3 });
  });

  it('fails requests under way at once, with the reason', async () => {
    die.holds.add('Leds').add('Pulse').add('SingleTap');
    const led = fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
    await fixture.radio.until(() => die.sent('Leds').length === 1);
    const calls = [
      led,
      fixture.post('/api/led', { session_id: id, led1: '00FF00' }),
      fixture.post('/api/pulse', { session_id: id, count: 1, on_ms: 10, off_ms: 10, color: 'FFFFFF' }),
      fixture.post('/api/taps', { session_id: id, single: true }),
    ];
    await fixture.radio.until(() =>
      ['Leds', 'Pulse', 'SingleTap'].every((tag) => die.commands.some(({ _tag }) => _tag === tag)),
    );
    await fixture.get('/health');
    die.lose();
    for (const answer of await Promise.all(calls)) {
      expect(answer).to.deep.include({
        status: 500,
        body: { error: `the link to device ${RED} was lost, reason 0x08`, code: 'link_lost' },
      });
    }
  });

  for (const [title, end] of [
    ['disconnect', () => fixture.post('/api/disconnect', { session_id: id })],
    ['the end of the server', () => fixture.server.close()],
  ] as const) {
    it(`is ended by ${title} while an attempt is under way`, async () => {
      die.lose();
      die.holdConnect = true;
      await fixture.radio.heard(die);
      await fixture.radio.until(() => die.connects === 2);
      await end();
      expect(die.connectsGivenUp).to.equal(1);
    });
  }

  it('ends a waiting connect when its client has gone', async () => {
    die.lose();
    fixture.radio.forget(die);
    const leave = abandon(fixture.server.port, '/api/connect', {
      method: 'POST',
      body: JSON.stringify({ address: RED }),
    });
    await fixture.get('/health');
    await leave();
  });

  it('may happen again while the die is being restored', async () => {
    await fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
    const client = await fixture.listen();
    die.lose();
    die.refuses.set('Leds', die.refusal('write'));
    await fixture.radio.heard(die);
    await fixture.time.armed(2_000);
    expect(die.link).to.equal(undefined);
    die.refuses.clear();
    fixture.time.advance(2_000);
    expect(await client.take(2)).to.deep.equal([{ kind: 'Disconnected' }, { kind: 'Reconnected' }]);
  });
});

describe('a die that is connected automatically', () => {
  it('is connected as soon as it advertises, without a limit of time', async () => {
    const fixture = await startFixture({ autoConnect: [{ address: RED, dice_type: 'd20' }] });
    const sessions = async (): Promise<unknown> => (await fixture.get('/api/sessions')).body;
    const die = fixture.radio.add(RED, { advertised: false });
    await fixture.radio.heard(die);
    await fixture.radio.until(() => die.sent('Colour').length === 1);
    const id = await fixture.connect(RED);
    expect(await sessions()).to.have.nested.property('[0].dice_type', 'd20');
    die.lose();
    fixture.radio.forget(die);
    for (let minutes = 0; minutes < 200; minutes++) {
      fixture.time.advance(60_000);
      await fixture.get('/health');
    }
    expect(await sessions()).to.have.nested.property('[0].connected', false);
    fixture.radio.advertise(die);
    expect(await fixture.connect(RED)).to.equal(id);
    await fixture.close();
  });

  it('does not keep the server from its end, even if it is named twice', async () => {
    const fixture = await startFixture({ autoConnect: [{ address: RED }, { address: RED }] });
    await fixture.radio.heeded;
    await fixture.close();
  });

  it('is connected once if it is named several times, with the last type', async () => {
    const fixture = await startFixture({
      autoConnect: [{ address: RED, dice_type: 'd8' }, { address: RED, dice_type: 'd20' }, { address: RED }],
    });
    const die = fixture.radio.add(RED, { advertised: false });
    await fixture.radio.heeded;
    expect(fixture.radio.listeners.size).to.equal(1);
    fixture.radio.advertise(die);
    await fixture.radio.until(() => die.sent('Colour').length === 1);
    const id = await fixture.connect(RED);
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ dice_type: 'd20' });
    await fixture.close();
  });

  it('is not connected again once a client has disconnected it', async () => {
    const fixture = await startFixture({ autoConnect: [{ address: RED }] });
    const die = fixture.radio.add(RED);
    die.connectFailures.push({ _tag: 'ConnectFailed', address: RED, reason: 'refused' });
    await fixture.time.pass(1_000);
    await fixture.time.armed(2_000);
    const id = await fixture.connect(RED);
    await fixture.post('/api/disconnect', { session_id: id });
    expect(fixture.radio.listeners.size).to.equal(0);
    fixture.time.advance(60_000);
    fixture.radio.advertise(die);
    expect(die.connects).to.equal(2);
    await fixture.close();
  });

  it('has its configured type unless a client names another', async () => {
    const fixture = await startFixture({ autoConnect: [{ address: RED, dice_type: 'd20' }] });
    const die = fixture.radio.add(RED);
    await fixture.radio.heeded;
    const typeOf = async (id: string): Promise<unknown> => (await fixture.get(`/api/status/${id}`)).body;
    expect(await typeOf(await fixture.connect(RED))).to.include({ dice_type: 'd20' });
    const id = await fixture.connect(RED, 'd8');
    fixture.radio.advertise(die);
    while (fixture.radio.listeners.size > 0) await fixture.get('/health');
    expect(await typeOf(id)).to.include({ dice_type: 'd8' });
    await fixture.close();
  });
});
