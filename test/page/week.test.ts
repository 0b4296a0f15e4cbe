import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Alarm, Settings } from '../../src/clock/contract.js';
import { parseTimeOfDay } from '../../src/protocols/cgd1/settings.js';
import { byTime, difference, nextDay, usualBrightness } from '../../src/page/clocks/time.js';

const SUNDAY = 6;

/** A Wednesday. */
const NOON = new Date('2026-07-01T12:00:00Z');

const SETTINGS: Settings = {
  ...{ volume: 3, language: 'en', time_format: '24h', temperature_unit: 'C', alarms_enabled: true },
  ...{
    timezone_offset_minutes: 60,
    timezone: null,
    screen_light_secs: 15,
    brightness: 100,
    night_brightness: 20,
  },
  night_mode_enabled: true,
  night_start: { hour: 22, minute: 0 },
  night_end: { hour: 7, minute: 0 },
  ringtone: 'fdc366a5',
};

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

describe('The brightness of a clock', () => {
  const settings = (night_start: string, night_end: string, night_mode_enabled = true): Settings => ({
    ...SETTINGS,
    night_start: parseTimeOfDay(night_start),
    night_end: parseTimeOfDay(night_end),
    night_mode_enabled,
  });
  const at = (time: string, of: Settings): number => usualBrightness(of, Date.parse(`2026-07-01T${time}Z`));

  it('is that of the night from its begin to its end, in the zone of the clock', () => {
    const night = settings('22:00', '07:00');
    const times = ['20:59', '21:00', '00:00', '05:59', '06:00'];
    expect(times.map((time) => at(time, night))).to.deep.equal([100, 20, 20, 20, 100]);
    const nap = settings('13:00', '14:00');
    expect(['11:59', '12:00', '13:00'].map((time) => at(time, nap))).to.deep.equal([100, 20, 100]);
  });

  it('is that of the day while the night mode is off', () => {
    expect(at('23:00', settings('22:00', '07:00', false))).to.equal(100);
  });
});

describe('A difference of zones', () => {
  it('is in hours and minutes', () => {
    expect([330, -120, 45].map(difference)).to.deep.equal(['5 h 30 min', '2 h', '45 min']);
  });
});
