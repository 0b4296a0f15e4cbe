import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { setImmediate } from 'node:timers/promises';
import { PACE_MS, paced, type Paced } from '../../src/mqtt/paced.js';
import { manualClock, type ManualClock } from '../support/manual-clock.js';

describe('A paced task', () => {
  let clock: ManualClock;
  let runs: number;
  let task: Paced;

  beforeEach(() => {
    clock = manualClock();
    runs = 0;
    task = paced(clock, () => (runs += 1));
  });

  it('runs once at the end of the turn, however often it is wanted', async () => {
    task.soon();
    task.soon();
    expect(runs).to.equal(0);
    await setImmediate();
    expect(runs).to.equal(1);
    expect(clock.pending).to.equal(0);
  });

  it('runs again a millisecond later', async () => {
    task.soon();
    await setImmediate();
    task.soon();
    await setImmediate();
    expect(runs).to.equal(1);
    clock.advance(PACE_MS);
    expect(runs).to.equal(2);
  });

  it('runs again if it is wanted while it runs', async () => {
    task = paced(clock, () => {
      runs += 1;
      if (runs === 1) task.soon();
    });
    task.soon();
    await setImmediate();
    clock.advance(PACE_MS);
    expect(runs).to.equal(2);
  });

  it('does not run once it is cancelled, whichever way it waits', async () => {
    task.soon();
    task.cancel();
    await setImmediate();
    expect(runs).to.equal(0);
    task.soon();
    await setImmediate();
    task.soon();
    task.cancel();
    expect([runs, clock.pending]).to.deep.equal([1, 0]);
  });
});
