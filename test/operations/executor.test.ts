import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { openMetrics } from '../../src/metrics/metrics.js';
import {
  internalError,
  Executor,
  shuttingDown,
  type BoundOperation,
  type Client,
} from '../../src/operations/index.js';
import { manualTime } from '../support/manual-time.js';

const CLIENT: Client = {
  countedAs: 'a test',
  principal: () => E.right({ name: 'a test', scope: 'full' }),
};

const operation = (work: () => unknown): BoundOperation<undefined> => ({
  name: 'work',
  access: 'full',
  isMeasured: true,
  prepare: () => E.right(() => TE.fromIO(() => (work(), 'done'))),
});

const call = (work: () => unknown) =>
  E.right({
    operation: operation(work),
    raw: E.right(undefined),
    context: { signal: new AbortController().signal },
  });

describe('The executor of operations', () => {
  let logged: string[];
  let executor: Executor;
  beforeEach(() => {
    logged = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
    const metrics = openMetrics('test');
    executor = new Executor({ time: manualTime(), log, metrics, requestsPerMinute: 0 });
  });

  const outcomesOf = async (work: () => unknown): Promise<readonly unknown[]> => {
    const outcomes: unknown[] = [];
    await executor.execute(CLIENT, call(work), (outcome) => outcomes.push(outcome));
    return outcomes;
  };

  it('answers an operation that throws with an internal error, and logs it', async () => {
    const fail = (): never => {
      throw new Error('a defect');
    };
    expect(await outcomesOf(fail)).to.deep.equal([E.left(internalError)]);
    expect(logged.join()).to.contain('a defect').and.to.contain('"operation":"work"');
  });

  it('survives an answer that throws, and drains after it', async () => {
    const work = call(() => undefined);
    await executor.execute(CLIENT, work, () => {
      throw new Error('the socket is broken');
    });
    expect(logged.join()).to.contain('the socket is broken');
    await executor.drain();
  });

  it('refuses operations after it has begun to drain', async () => {
    await executor.drain();
    expect(await outcomesOf(() => undefined)).to.deep.equal([E.left(shuttingDown)]);
  });
});
