import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openProgress, secondsLeft } from '../../src/cli/output/progress.js';
import { manualTime } from '../support/manual-time.js';

describe('The progress of a command', () => {
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

  it('shows each step after the first immediately, with the seconds or another text, until the end', () => {
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

  it('disappears at a signal, and leaves the signal to another handler', () => {
    const { time, shown, progress } = begin();
    let handled = 0;
    process.once('SIGHUP', () => (handled += 1));
    progress.step('connecting');
    time.advance(500);
    process.emit('SIGHUP', 'SIGHUP');
    expect([shown, handled, process.listenerCount('SIGHUP')]).to.deep.equal([['connecting: 0 s', ''], 1, 0]);
  });

  it('shows nothing without a terminal', () => {
    const time = manualTime();
    const progress = openProgress(time, null);
    progress.step(() => {
      throw new Error('its text was read');
    });
    time.advance(10_000);
    progress.end();
  });
});
