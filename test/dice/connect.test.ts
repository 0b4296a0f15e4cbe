import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { Status } from '../../src/dice/contract.js';
import { abandon } from '../support/client.js';
import { codeOf, type DiceFixture, eachFixture, LIMITS, RED } from '../support/dice-fixture.js';

describe('POST /api/connect', () => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));

  const sessions = async (): Promise<unknown> => (await fixture.get('/api/sessions')).body;

  it('has no signal strength if the adapter does not report it', async () => {
    const { id } = await fixture.die(RED, { rssi: null });
    const { body } = await fixture.get(`/api/status/${id}`);
    expect(body).to.include({ rssi: null });
    expect(E.isRight(Status.decode(body))).to.equal(true);
  });

  it('does not wait for ever for a silent die, whose unknown fields are null', async () => {
    const die = fixture.radio.add(RED, { name: null });
    die.burst = [];
    die.silent.add('Battery');
    const answer = fixture.connect(RED);
    await fixture.time.pass(LIMITS.scan);
    await fixture.time.pass(1_000);
    const id = await answer;
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({
      name: null,
      battery_level: null,
      charging: null,
      face: null,
      color: 'red',
    });
  });

  it('searches for a die that has not advertised yet, for the time of a scan', async () => {
    const die = fixture.radio.add(RED, { advertised: false });
    const answer = fixture.connect(RED);
    await fixture.radio.heard(die);
    expect(await answer).to.be.a('string');
  });

  it('waits a little for the name of a die that advertised without one', async () => {
    const die = fixture.radio.add(RED, { name: null });
    const answer = fixture.connect(RED);
    await fixture.radio.heard(die, { name: 'GoDice_1A2B3C_R_v04' });
    const id = await answer;
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ name: 'GoDice_1A2B3C_R_v04' });
  });

  it('leaves nothing behind when it fails at any step', async () => {
    const client = await fixture.listen();
    const die = fixture.radio.add(RED);
    die.connectFailures.push({ _tag: 'ConnectFailed', address: RED, reason: 'refused' });
    expect(codeOf(await fixture.post('/api/connect', { address: RED }))).to.equal('connect_failed');
    for (const command of ['Initialise', 'Colour'] as const) {
      die.refuses.set(command, die.refusal('write'));
      const answer = await fixture.post('/api/connect', { address: RED });
      expect([answer.status, codeOf(answer)]).to.deep.equal([500, 'gatt_failed']);
      expect(die.link).to.equal(undefined);
      expect(await sessions()).to.deep.equal([]);
      die.refuses.clear();
    }
    expect(client.unread).to.deep.equal([]);
    expect(await fixture.connect(RED)).to.be.a('string');
  });

  it('fails when the link is lost while the die is being opened', async () => {
    const die = fixture.radio.add(RED);
    die.holds.add('Initialise');
    const answer = fixture.post('/api/connect', { address: RED });
    await fixture.radio.until(() => die.sent('Initialise').length === 1);
    die.lose();
    expect(codeOf(await answer)).to.equal('link_lost');
    die.burst = [];
    die.holds.clear();
    const second = fixture.post('/api/connect', { address: RED });
    await fixture.time.armed(1_000);
    die.lose();
    expect(codeOf(await second)).to.equal('link_lost');
    expect(await sessions()).to.deep.equal([]);
  });

  it('gives the die up when its client has gone', async () => {
    const die = fixture.radio.add(RED);
    die.holdConnect = true;
    const body = JSON.stringify({ address: RED });
    const leave = abandon(fixture.server.port, '/api/connect', { method: 'POST', body });
    await fixture.radio.until(() => die.connects === 1);
    await leave();
    await fixture.radio.until(() => die.connectsGivenUp === 1);
    expect(await sessions()).to.deep.equal([]);
  });

  it('is given up when the server ends', async () => {
    const die = fixture.radio.add(RED);
    die.holdConnect = true;
    const answer = fixture.post('/api/connect', { address: RED });
    await fixture.radio.until(() => die.connects === 1);
    await fixture.server.close();
    expect(codeOf(await answer)).to.equal('shutting_down');
  });
});

describe('POST /api/disconnect', () => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));

  it('fails a command that is under way, 404', async () => {
    const { id, die } = await fixture.die(RED);
    die.holds.add('Leds');
    const led = fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
    await fixture.radio.until(() => die.sent('Leds').length === 1);
    await fixture.post('/api/disconnect', { session_id: id });
    expect(await led).to.include({ status: 404 });
    expect(codeOf(await led)).to.equal('not_connected');
  });
});
