/** Times as a clock has them. */
import type { Alarm, Settings } from '../../clock/contract.js';
import { texts } from './texts.js';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const WEEK_DAYS = 7;

export const DAYS = Array.from({ length: WEEK_DAYS }, (_, day) => day);

export const rings = ({ repeat_mask }: Pick<Alarm, 'repeat_mask'>, day: number): boolean =>
  (repeat_mask & (1 << day)) !== 0;

/** It rings on one day alone, the next that it can. */
export const isOnce = ({ repeat_mask }: Pick<Alarm, 'repeat_mask'>): boolean => repeat_mask === 0;

/** A date whose UTC fields are what the clock shows at `at`, ms since 1970. */
export const localTime = (at: number, offsetMinutes: number): Date =>
  new Date(at + offsetMinutes * MINUTE_MS);

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** As the display has it: hours and minutes, and which half of the day if it shows that. */
export const shown = (hour: number, minute: number, format: Settings['time_format']) =>
  format === '24h'
    ? { digits: `${twoDigits(hour)}:${twoDigits(minute)}`, half: '' }
    : { digits: `${hour % 12 === 0 ? 12 : hour % 12}:${twoDigits(minute)}`, half: hour < 12 ? 'AM' : 'PM' };

/** Monday is 0. */
export const dayOf = (date: Date): number => (date.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;

export const inWords = ({ hour, minute }: Alarm['time'], format: Settings['time_format']): string => {
  const { digits, half } = shown(hour, minute, format);
  return half === '' ? digits : `${digits} ${half}`;
};

/** Minutes from `date` until the alarm rings next. */
const minutesUntil = (alarm: Alarm, date: Date): number => {
  const { hour, minute } = alarm.time;
  const today = hour * 60 + minute - (date.getUTCHours() * 60 + date.getUTCMinutes());
  const days = [...DAYS, WEEK_DAYS].find(
    (ahead) =>
      ahead * DAY_MINUTES + today > 0 && (isOnce(alarm) || rings(alarm, (dayOf(date) + ahead) % WEEK_DAYS)),
  );
  return (days ?? WEEK_DAYS) * DAY_MINUTES + today;
};

/** The day on which it rings next, seen from `date`. */
export const nextDay = (alarm: Alarm, date: Date): number =>
  dayOf(localTime(date.getTime(), minutesUntil(alarm, date)));

/** Those of the earliest time of day first. */
export const byTime = (alarms: readonly Alarm[]): readonly Alarm[] =>
  [...alarms].sort(
    ({ time: a, slot }, { time: b, slot: other }) =>
      a.hour * 60 + a.minute - (b.hour * 60 + b.minute) || slot - other,
  );

/** The day and time of the alarm that rings next, in words; null: none will. */
export const nextAlarm = (alarms: readonly Alarm[], settings: Settings, at: number): string | null => {
  const date = localTime(at, settings.timezone_offset_minutes);
  const next = alarms
    .filter(({ enabled }) => enabled && settings.alarms_enabled)
    .map((alarm) => ({ alarm, minutes: minutesUntil(alarm, date) }))
    .sort((a, b) => a.minutes - b.minutes)[0]?.alarm;
  return next === undefined
    ? null
    : `${texts.day(nextDay(next, date))} ${inWords(next.time, settings.time_format)}`;
};
