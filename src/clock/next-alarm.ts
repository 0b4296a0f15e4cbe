import { DAY_MS, MINUTE_MS } from '../async/time.js';
import type { Alarm, Settings } from './contract.js';

const DAYS = [0, 1, 2, 3, 4, 5, 6, 7];

/** Monday is 0. Day 0 of the epoch was a Thursday. */
const weekdayOf = (day: number): number => (day + 3) % 7;

/** The time at which an enabled alarm rings next, in ms of the clock's local time, like `local`. */
export const ringsNext = (
  { time, repeat_mask: mask }: Pick<Alarm, 'time' | 'repeat_mask'>,
  local: number,
): number => {
  const today = Math.floor(local / DAY_MS);
  const times = DAYS.map((later) => today + later)
    .filter((day) => mask === 0 || (mask & (1 << weekdayOf(day))) !== 0)
    .map((day) => day * DAY_MS + (time.hour * 60 + time.minute) * MINUTE_MS);
  return Math.min(...times.filter((at) => at > local));
};

/** The time at which a clock rings next, by its time zone; null: never. */
export const nextAlarm = (alarms: readonly Alarm[], settings: Settings, now: Date): Date | null => {
  const offset = settings.timezone_offset_minutes * MINUTE_MS;
  const times = alarms
    .filter(({ enabled }) => enabled && settings.alarms_enabled)
    .map((alarm) => ringsNext(alarm, now.getTime() + offset) - offset);
  return times.length === 0 ? null : new Date(Math.min(...times));
};

/** The longest ringing, ms: a minute, and the clock's time may differ by some seconds. */
const RINGING_MS = 90_000;

/**
 * The time at which the next alarm has certainly rung, which disables an alarm that rings once, without a packet. Null: no alarm will ring.
 */
export const alarmPassed = (alarms: readonly Alarm[], settings: Settings, now: Date): Date | null => {
  const next = nextAlarm(alarms, settings, new Date(now.getTime() - RINGING_MS));
  return next === null ? null : new Date(next.getTime() + RINGING_MS);
};
