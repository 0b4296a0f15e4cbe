import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { settled, shared, wait } from '../../src/async/wait.js';
import { defectsDuring } from '../support/defects.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

describe('a wait', () => {
  let time: ManualTime;
  let stops: number;
  const stop = (): void => void (stops += 1);
  beforeEach(() => {
    time = manualTime();
    stops = 0;
  });

  it('ends once, with the first result', async () => {
    let settle = (_value: number): void => undefined;
    const outcome = wait<number>({ time, ms: 10 }, (settler) => {
      settle = settler;
      return stop;
    })();
    settle(1);
    settle(2);
    time.advance(10);
    expect(await outcome).to.deep.equal(E.right(1));
    expect([stops, time.pending]).to.deep.equal([1, 0]);
  });

  it('ends with a result that comes immediately', async () => {
    const outcome = await wait<number>({ time, ms: 10 }, (settle) => {
      settle(1);
      return stop;
    })();
    expect(outcome).to.deep.equal(E.right(1));
    expect([stops, time.pending]).to.deep.equal([1, 0]);
  });

  it('ends with its result even if its end fails', async () => {
    const defects = await defectsDuring(async () => {
      const outcome = wait<number>({ time, ms: 10 }, (settle) => {
        queueMicrotask(() => settle(1));
        return () => {
          throw new Error('a defect');
        };
      })();
      expect(await outcome).to.deep.equal(E.right(1));
    });
    expect(defects.map(String)).to.deep.equal(['Error: a defect']);
  });

  it('ends when the time is up', async () => {
    const outcome = wait<number>({ time, ms: 10 }, () => stop)();
    time.advance(10);
    expect(await outcome).to.deep.equal(E.left('timeout'));
    expect(stops).to.equal(1);
  });

  it('ends when its signal is aborted, before or after it begins', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const outcome = wait<number>({ time, ms: 10, signal }, () => stop)();
    controller.abort();
    expect(await outcome).to.deep.equal(E.left('aborted'));
    expect(await wait<number>({ time, ms: null, signal }, () => stop)()).to.deep.equal(E.left('aborted'));
    expect([stops, time.pending]).to.deep.equal([2, 0]);
  });

  it('ends with the result if it has no limit', async () => {
    expect(
      await settled<number>((settle) => {
        queueMicrotask(() => settle(3));
        return () => undefined;
      })(),
    ).to.equal(3);
  });
});

describe('a shared task', () => {
  it('runs once for all concurrent callers, and again later', async () => {
    let runs = 0;
    const task = shared(() => Promise.resolve((runs += 1)));
    expect(await Promise.all([task(), task()])).to.deep.equal([1, 1]);
    expect(await task()).to.equal(2);
  });
});
