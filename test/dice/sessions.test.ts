import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { ALONE } from '../../src/devices/ownership.js';
import { openSessions, type Sessions } from '../../src/dice/sessions.js';
import { LIMITS, RED } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';
import { FakeRadio } from '../support/fake-radio.js';
import { silent } from '../support/log.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';

describe('clients that connect the same die concurrently', () => {
  let radio: FakeRadio;
  let time: SteppedTime;
  let sessions: Sessions;
  let die: FakeDie;

  beforeEach(() => {
    radio = new FakeRadio();
    time = steppedTime();
    let ids = 0;
    sessions = openSessions({
      radio,
      ownership: ALONE,
      limits: LIMITS,
      time,
      random: () => 0.5,
      newId: () => `id-${ids++}`,
      log: silent,
      changed: () => undefined,
      dismissed: () => undefined,
      emit: () => undefined,
    });
    die = radio.add(RED);
    die.holdConnect = true;
  });

  afterEach(async () => {
    await sessions.close();
    expect([time.pending, radio.listeners.size, die.link]).to.deep.equal([0, 0, undefined]);
  });

  const connect = (signal = new AbortController().signal): ReturnType<ReturnType<Sessions['connect']>> =>
    sessions.connect({ address: RED }, signal)();

  it('share one link and one session', async () => {
    const both = Promise.all([connect(), connect()]);
    await radio.until(() => die.connects === 1);
    die.release();
    const [first, second] = await both;
    expect(E.isRight(first) && E.isRight(second) && first.right === second.right).to.equal(true);
    expect([die.connects, sessions.all.length]).to.deep.equal([1, 1]);
  });

  it('get their session though another of them goes', async () => {
    const gone = new AbortController();
    const [first, second] = [connect(gone.signal), connect()];
    await radio.until(() => die.connects === 1);
    gone.abort();
    expect(E.isLeft(await first)).to.equal(true);
    die.release();
    expect(E.isRight(await second)).to.equal(true);
    expect(die.connects).to.equal(1);
  });

  it('leave nothing behind when all of them go', async () => {
    const gone = new AbortController();
    const both = [connect(gone.signal), connect(gone.signal)];
    await radio.until(() => die.connects === 1);
    gone.abort();
    for (const outcome of await Promise.all(both)) expect(E.isLeft(outcome)).to.equal(true);
    expect(die.connectsGivenUp).to.equal(1);
    expect(sessions.all).to.have.length(0);
  });

  it('wait for the end of an attempt that was given up before the next', async () => {
    const gone = new AbortController();
    const first = connect(gone.signal);
    await radio.until(() => die.connects === 1);
    gone.abort();
    const second = connect();
    await first;
    await radio.until(() => die.connects === 2);
    die.release();
    expect(E.isRight(await second)).to.equal(true);
    expect(die.connectsGivenUp).to.equal(1);
  });

  it('leave no session if they go at the very moment of success', async () => {
    const gone = new AbortController();
    const first = connect(gone.signal);
    await radio.until(() => die.connects === 1);
    die.release();
    await radio.until(() => die.sent('Colour').length === 1);
    gone.abort();
    expect(E.isLeft(await first)).to.equal(true);
    await sessions.close();
    expect(sessions.all).to.have.length(0);
  });

  it('all learn why it failed', async () => {
    die.connectFailures.push({ _tag: 'ConnectFailed', address: RED, reason: 'refused' });
    die.holdConnect = false;
    for (const outcome of await Promise.all([connect(), connect()])) {
      expect(E.isLeft(outcome) && outcome.left._tag).to.equal('ConnectFailed');
    }
    expect(E.isRight(await connect())).to.equal(true);
  });
});
