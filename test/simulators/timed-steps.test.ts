import { expect } from 'chai';
import { describe, it } from 'mocha';
import { TimedSteps } from '../../simulators/timers.js';
import type { TimeSource } from '../../src/async/time.js';
import { manualTime } from '../support/manual-time.js';

/** Overdue timers of Node may run in any order: here the last timer runs first. */
const overdueTime = () => {
  const tasks: (() => void)[] = [];
  const time: TimeSource = {
    now: () => 0,
    date: () => new Date(0),
    after: (_ms, task) => {
      tasks.push(task);
      return () => void tasks.splice(tasks.indexOf(task), 1);
    },
  };
  return {
    time,
    runAll: () => {
      for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) task();
    },
  };
};

/** Steps such as `100 roll, 400 rest`, which add their names to `done`. */
const named = (done: string[], steps: string) =>
  steps.split(', ').map((step) => {
    const [atMs, name = ''] = step.split(' ');
    return [Number(atMs), () => void done.push(name)] as const;
  });

describe('The steps of a movement', () => {
  it('run in the order of their times, however late the timers are', () => {
    const done: string[] = [];
    const { time, runAll } = overdueTime();
    new TimedSteps(time).start(named(done, '400 rest, 100 roll, 200 pass'));
    runAll();
    expect(done).to.deep.equal(['roll', 'pass', 'rest']);
  });

  it('run at their times, counted from the start', () => {
    const done: string[] = [];
    const time = manualTime(5000);
    new TimedSteps(time).start(named(done, '100 roll, 400 rest'));
    const seen = [99, 1, 299, 1].map((ms) => {
      time.advance(ms);
      return done.length;
    });
    expect(seen).to.deep.equal([0, 1, 1, 2]);
    expect(time.pending).to.equal(0);
  });

  it('end when a step starts another movement', () => {
    const done: string[] = [];
    const time = manualTime();
    const steps = new TimedSteps(time);
    steps.start([
      [100, () => steps.start(named(done, '50 other'))],
      [120, () => void done.push('first')],
    ]);
    time.advance(1000);
    expect(done).to.deep.equal(['other']);
  });
});
