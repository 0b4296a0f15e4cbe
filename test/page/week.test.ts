import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Alarm } from '../../src/clock/contract.js';
import { byTime, nextDay } from '../../src/page/clocks/time.js';

const SUNDAY = 6;

/** A Wednesday. */
const NOON = new Date('2026-07-01T12:00:00Z');

const alarm = (time: string, repeat_mask = 0): Alarm => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return { slot: hour, time: { hour, minute }, repeat_mask, enabled: true, snooze: false };
};

describe('The week of a clock', () => {
  it('shows an alarm that rings once on the day of its next ring', () => {
    expect(nextDay(alarm('12:01'), NOON)).to.equal(2);
    expect(nextDay(alarm('12:00'), NOON)).to.equal(3);
    expect(nextDay(alarm('11:59'), NOON)).to.equal(3);
  });

  it('shows the next ring of a repeating alarm on one of its days', () => {
    expect(nextDay(alarm('11:59', 0b0000100), NOON)).to.equal(2);
    expect(nextDay(alarm('11:59', 0b1000100), NOON)).to.equal(SUNDAY);
    expect(nextDay(alarm('12:01', 0b1111111), NOON)).to.equal(2);
  });

  it('lists the earliest alarm of a day first', () => {
    const [late, early] = [alarm('22:15'), alarm('06:45')];
    expect(byTime([late, early])).to.deep.equal([early, late]);
  });
});
