import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { ALONE } from '../../src/devices/neighbours.js';
import { Sessions } from '../../src/dice/sessions.js';
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
    sessions = new Sessions({
      radio,
      linkedNeighbour: ALONE,
      memory: { labelOf: () => null, shellOf: () => undefined },
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

  it('leave no session if they have gone at the moment of success', async () => {
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
});
