import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openClientSlices, openSlices, SLICE_MS } from '../../src/async/slices.js';
import { manualTime } from '../support/manual-time.js';

/** Resolves in the next turn of the event loop, after all tasks of this turn. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Work in slices', () => {
  it('runs in order, for one slice in each turn of the event loop', async () => {
    const time = manualTime();
    const run = openSlices(time);
    const done: number[] = [];
    const ran = Array.from({ length: 7 }, (_, n) =>
      run(() => {
        done.push(n);
        time.advance(SLICE_MS / 2);
      }),
    );
    expect(ran).to.deep.equal([true, true, false, false, false, false, false]);
    const counts = [done.length];
    for (let turn = 0; turn < 3; turn++) {
      await nextTurn();
      counts.push(done.length);
    }
    expect(counts).to.deep.equal([2, 4, 6, 7]);
    expect(done).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
  });

  it('runs at once in each turn that has time left', async () => {
    const time = manualTime();
    const run = openSlices(time);
    for (let turn = 0; turn < 3; turn++) {
      expect(run(() => time.advance(SLICE_MS))).to.equal(true);
      await nextTurn();
    }
  });

  it('does not make the work of another client wait', () => {
    const time = manualTime();
    const { enter } = openClientSlices(time);
    const [busy, same, other] = [enter('busy'), enter('busy'), enter('other')];
    expect(busy.run(() => time.advance(SLICE_MS))).to.equal(true);
    expect(same.run(() => undefined)).to.equal(false);
    expect(other.run(() => undefined)).to.equal(true);
  });
});
