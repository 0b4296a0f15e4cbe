import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { MINUTE_MS } from '../../src/async/time.js';
import { openMinuteLog } from '../../src/system/log.js';
import { manualTime } from '../support/manual-time.js';

const openLog = () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
  );
  return { lines, log };
};

describe('The minute log of a server on a broker', () => {
  it('writes the first line of a kind at once, and one for all others of the minute at its end', () => {
    const { lines, log } = openLog();
    const time = manualTime();
    const minuteLog = openMinuteLog(log, time);
    for (const message of ['first', 'second', 'third']) minuteLog.write('warn', 'a', message, { x: message });
    minuteLog.write('error', 'b', 'other');
    expect(lines.splice(0)).to.deep.equal([
      { level: 40, x: 'first', msg: 'first' },
      { level: 50, msg: 'other' },
    ]);
    time.advance(MINUTE_MS);
    expect(lines.splice(0)).to.deep.equal([{ level: 40, x: 'third', times: 2, msg: 'third' }]);
    expect(time.pending).to.equal(0);
    for (const message of ['first', 'second']) minuteLog.write('warn', 'a', message);
    minuteLog.close();
    expect(lines.at(-1)).to.deep.equal({ level: 40, times: 1, msg: 'second' });
    minuteLog.write('warn', 'late', 'after the end');
    expect(lines).to.have.length(2);
    expect(time.pending).to.equal(0);
  });
});
