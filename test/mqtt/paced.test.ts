import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { setImmediate } from 'node:timers/promises';
import { PACE_MS, paced, type Paced } from '../../src/mqtt/paced.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

describe('A paced task', () => {
  let time: ManualTime;
  let runs: number;
  let task: Paced;

  beforeEach(() => {
    time = manualTime();
    runs = 0;
    task = paced(time, () => (runs += 1));
  });

  it('runs again if it is wanted while it runs', async () => {
    task = paced(time, () => {
      runs += 1;
      if (runs === 1) task.soon();
    });
    task.soon();
    await setImmediate();
    time.advance(PACE_MS);
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
    expect([runs, time.pending]).to.deep.equal([1, 0]);
  });
});
