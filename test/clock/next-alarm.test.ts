import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Alarm, Settings } from '../../src/clock/contract.js';
import { alarmPassed, nextAlarm } from '../../src/clock/next-alarm.js';

const SETTINGS: Settings = {
  ...{ volume: 3, language: 'en', time_format: '24h', temperature_unit: 'C', alarms_enabled: true },
  ...{
    timezone_offset_minutes: 60,
    timezone: null,
    screen_light_secs: 10,
    brightness: 100,
    night_brightness: 10,
  },
  ...{ night_mode_enabled: false, ringtone: '01020304' },
  ...{ night_start: { hour: 22, minute: 0 }, night_end: { hour: 7, minute: 0 } },
};

const alarm = (hour: number, minute: number, repeat_mask: number, enabled = true): Alarm => ({
  ...{ slot: 0, time: { hour, minute }, repeat_mask, enabled, snooze: false },
});

/** Thursday, 23:30 on the clock. */
const THURSDAY = new Date('2026-01-01T22:30:00Z');

const next = (alarms: readonly Alarm[], settings: Partial<Settings> = {}): string | undefined =>
  nextAlarm(alarms, { ...SETTINGS, ...settings }, THURSDAY)?.toISOString();

describe('The next alarm', () => {
  it('is the nearest enabled alarm', () => {
    expect(next([alarm(8, 0, 0), alarm(7, 30, 0), alarm(7, 0, 0, false)])).to.equal(
      '2026-01-02T06:30:00.000Z',
    );
  });

  it('is today if it rings once and its time has not passed', () => {
    expect(next([alarm(23, 31, 0)])).to.equal('2026-01-01T22:31:00.000Z');
    expect(next([alarm(23, 30, 0)])).to.equal('2026-01-02T22:30:00.000Z');
  });

  it('is on one of its days if it is repeated', () => {
    const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
    const dates = days.map((_, day) => next([alarm(12, 0, 1 << day)])?.slice(0, 10));
    expect(dates).to.deep.equal([
      ...['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08', '2026-01-02', '2026-01-03', '2026-01-04'],
    ]);
  });

  it('follows the time zone of the clock', () => {
    const alarms = [alarm(7, 0, 0)];
    expect(next(alarms, { timezone_offset_minutes: -300 })).to.equal('2026-01-02T12:00:00.000Z');
    expect(next(alarms, { timezone_offset_minutes: 840 })).to.equal('2026-01-02T17:00:00.000Z');
  });

  it('is null without alarms, or while no alarm may ring', () => {
    expect(next([])).to.equal(undefined);
    expect(next([alarm(7, 0, 0)], { alarms_enabled: false })).to.equal(undefined);
  });
});

describe('An alarm', () => {
  it('has passed 90 seconds after its time, and the next alarm counts', () => {
    const alarms = [alarm(23, 31, 0), alarm(7, 0, 0)];
    const passed = (at: string): string | undefined =>
      alarmPassed(alarms, SETTINGS, new Date(at))?.toISOString();
    expect(passed('2026-01-01T22:30:00Z')).to.equal('2026-01-01T22:32:30.000Z');
    expect(passed('2026-01-01T22:32:29Z')).to.equal('2026-01-01T22:32:30.000Z');
    expect(passed('2026-01-01T22:32:30Z')).to.equal('2026-01-02T06:01:30.000Z');
  });
});
