import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openProgress, secondsLeft } from '../../src/cli/output/progress.js';
import { manualTime } from '../support/manual-time.js';

describe('the progress of a command', () => {
  const begin = () => {
    const time = manualTime();
    const shown: string[] = [];
    const progress = openProgress(time, (text) => {
      if (text !== shown.at(-1)) shown.push(text);
    });
    return { time, shown, progress };
  };

  it('shows no line for a step that ends soon', () => {
    const { time, shown, progress } = begin();
    progress.step('starting');
    time.advance(499);
    progress.end();
    time.advance(10_000);
    expect(shown).to.deep.equal([]);
  });

  it('shows each step at once after the first, with its seconds or its own text, until the end', () => {
    const { time, shown, progress } = begin();
    progress.step('connecting');
    time.advance(2_100);
    let count = 0;
    progress.step(() => `reading: ${count}`);
    count = 3;
    time.advance(200);
    progress.step((seconds) => `listening: ${secondsLeft(2, seconds)}`);
    time.advance(5_000);
    progress.end();
    time.advance(5_000);
    expect(shown).to.deep.equal([
      ...['connecting: 0 s', 'connecting: 1 s', 'connecting: 2 s', 'reading: 0', 'reading: 3'],
      ...['listening: 2 s left', 'listening: 1 s left', 'listening: 0 s left', ''],
    ]);
  });

  it('goes away at a signal that another handler takes, and leaves it to that', () => {
    const { time, shown, progress } = begin();
    let taken = 0;
    process.once('SIGHUP', () => (taken += 1));
    progress.step('connecting');
    time.advance(500);
    process.emit('SIGHUP', 'SIGHUP');
    expect([shown, taken, process.listenerCount('SIGHUP')]).to.deep.equal([['connecting: 0 s', ''], 1, 0]);
  });

  it('shows nothing without a terminal', () => {
    const time = manualTime();
    const progress = openProgress(time, null);
    progress.step(() => {
      throw new Error('it was asked for its text');
    });
    time.advance(10_000);
    progress.end();
  });
});
