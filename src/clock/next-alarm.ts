import type { Alarm, Settings } from './contract.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS = [0, 1, 2, 3, 4, 5, 6, 7];

/** Monday is 0. Day 0 of the epoch was a Thursday. */
const weekdayOf = (day: number): number => (day + 3) % 7;

/** When a clock rings next, as it stands on its own time zone; null: never. */
export const nextAlarm = (alarms: readonly Alarm[], settings: Settings, now: Date): Date | null => {
  if (!settings.alarms_enabled) return null;
  const offset = settings.timezone_offset_minutes * MINUTE_MS;
  const local = now.getTime() + offset;
  const today = Math.floor(local / DAY_MS);
  const times = alarms.flatMap(({ enabled, time, repeat_mask: mask }) =>
    DAYS.flatMap((later) => {
      const at = (today + later) * DAY_MS + (time.hour * 60 + time.minute) * MINUTE_MS;
      const rings = mask === 0 || (mask & (1 << weekdayOf(today + later))) !== 0;
      return enabled && rings && at > local ? [at - offset] : [];
    }),
  );
  return times.length === 0 ? null : new Date(Math.min(...times));
};
