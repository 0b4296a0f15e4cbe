import { expect } from 'chai';
import { codeOf, type DiceFixture, eachDie, LIMITS, RED } from '../support/dice-fixture.js';
import type { Answer } from '../support/client.js';
import type { FakeDie } from '../support/fake-die.js';

const MOST = 64;

describe('requests that wait for one die', () => {
  let fixture: DiceFixture;
  let die: FakeDie;
  let id: string;
  eachDie((connected) => ({ fixture, die, id } = connected));

  const pulse = { count: 1, on_ms: 10, off_ms: 10, color: 'FF0000' };
  const requests: Readonly<Record<string, () => Promise<Answer>>> = {
    led: () => fixture.post('/api/led', { session_id: id, led1: 'FF0000' }),
    pulse: () => fixture.post('/api/pulse', { session_id: id, ...pulse }),
    taps: () => fixture.post('/api/taps', { session_id: id, single: true }),
    battery: () => fixture.get(`/api/battery/${id}`),
    calibrate: () => fixture.post('/api/calibrate', { session_id: id }),
  };

  const hold = (): void => {
    die.holds.add('Leds').add('Pulse').add('SingleTap').add('Battery');
    die.say({ _tag: 'RollStart' });
  };
  const release = (): void => {
    die.release();
    die.say({ _tag: 'Stable', acceleration: { x: 64, y: 0, z: 0 } });
  };

  /** Sends `each` requests of each name concurrently; `refused` resolves as soon as a request is refused. */
  const flood = (names: readonly string[], each: number) => {
    let refuse = (): void => undefined;
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const answers = names.flatMap((name) =>
      Array.from({ length: each }, async () => {
        const answer = await requests[name]?.();
        if (answer?.status === 429) refuse();
        return answer;
      }),
    );
    return { refused, answers: Promise.all(answers) };
  };

  const statuses = (answers: readonly (Answer | undefined)[]) => ({
    taken: answers.filter((answer) => answer?.status === 200).length,
    refused: answers.filter((answer) => answer?.status === 429).length,
  });

  it(`are at most ${MOST} of all kinds together, and a refused request may be sent again`, async () => {
    hold();
    const { refused, answers } = flood(Object.keys(requests), 13);
    await refused;
    release();
    const all = await answers;
    expect(statuses(all)).to.deep.equal({ taken: MOST, refused: 1 });
    for (const send of Object.values(requests)) expect((await send()).status).to.equal(200);
    const answer = all.find((each) => each?.status === 429);
    expect(answer?.headers.get('retry-after')).to.equal('1');
    expect(answer?.body).to.deep.equal({
      error: `device ${RED} has too many commands waiting`,
      code: 'too_many_requests',
    });
  });

  it('leave their places when they fail', async () => {
    die.say({ _tag: 'RollStart' });
    const { refused, answers } = flood(['calibrate'], MOST + 1);
    await refused;
    fixture.time.advance(LIMITS.calibrate);
    expect((await answers).map((answer) => answer && codeOf(answer))).to.have.members([
      'too_many_requests',
      ...Array<string>(MOST).fill('calibration_failed'),
    ]);
    expect((await requests['led']?.())?.status).to.equal(200);
  });
});
