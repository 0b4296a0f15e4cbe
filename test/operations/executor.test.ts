import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
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
  const opened = () => {
    const logged: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
    const executor = new Executor({
      time: manualTime(),
      log,
      metrics: openMetrics('test'),
      requestsPerMinute: 0,
    });
    return { executor, logged };
  };

  it('answers an operation that throws with an internal error, and logs it', async () => {
    const { executor, logged } = opened();
    const outcomes: unknown[] = [];
    const failing = call(() => {
      throw new Error('a defect');
    });
    await executor.execute(CLIENT, failing, (outcome) => outcomes.push(outcome));
    expect(outcomes).to.deep.equal([E.left(internalError)]);
    expect(logged.join()).to.contain('a defect').and.to.contain('"operation":"work"');
  });

  it('survives an answer that throws, and drains after it', async () => {
    const { executor, logged } = opened();
    await executor.execute(
      CLIENT,
      call(() => undefined),
      () => {
        throw new Error('the socket is broken');
      },
    );
    expect(logged.join()).to.contain('the socket is broken');
    await executor.drain();
  });

  it('refuses what comes after it began to drain', async () => {
    const { executor } = opened();
    await executor.drain();
    const outcomes: unknown[] = [];
    await executor.execute(
      CLIENT,
      call(() => undefined),
      (outcome) => outcomes.push(outcome),
    );
    expect(outcomes).to.deep.equal([E.left(shuttingDown)]);
  });
});
