/** Times of day and alarms, as the page shows them. */
import { MINUTE_MS } from '../../async/time.js';
import { nextAlarm, ringsNext } from '../../clock/next-alarm.js';
import type { Alarm, Settings } from '../../clock/contract.js';
import { isTimeZone, offsetAt } from '../../clock/time-zone.js';
import { isNight } from '../../protocols/cgd1/settings.js';
import { texts } from './texts.js';

const WEEK_DAYS = 7;

export const DAYS = Array.from({ length: WEEK_DAYS }, (_, day) => day);

export const rings = ({ repeat_mask }: Pick<Alarm, 'repeat_mask'>, day: number): boolean =>
  (repeat_mask & (1 << day)) !== 0;

/** Whether an alarm rings only once, at the next occurrence of its time. */
export const isOnce = ({ repeat_mask }: Pick<Alarm, 'repeat_mask'>): boolean => repeat_mask === 0;

/** A date whose UTC fields are the time on a clock at `at`, ms since 1970. */
export const localTime = (at: number, offsetMinutes: number): Date =>
  new Date(at + offsetMinutes * MINUTE_MS);

/** A difference of the time of a clock; null: the zone of the browser. */
interface Ahead {
  readonly minutes: number;
  readonly zone: string | null;
}

/** How far a clock is ahead of the zone that it follows, or else of the browser, at `at`, ms since 1970; null: not at all. */
export const aheadOf = (
  { timezone: zone, timezone_offset_minutes: offset }: Settings,
  at: number,
): Ahead | null => {
  const date = new Date(at);
  const ofZone = zone === null || !isTimeZone(zone) ? 0 : offset - offsetAt(zone, date);
  if (ofZone !== 0) return { minutes: ofZone, zone };
  const minutes = offset + date.getTimezoneOffset();
  return minutes === 0 ? null : { minutes, zone: null };
};

/** A difference between two zones, in words: `5 h 30 min`. */
export const difference = (minutes: number): string => {
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return [...(hours === 0 ? [] : [`${hours} h`]), ...(rest === 0 ? [] : [`${rest} min`])].join(' ');
};

/** The brightness of a display that nobody has changed, per cent. */
export const usualBrightness = (settings: Settings, at: number): number => {
  const date = localTime(at, settings.timezone_offset_minutes);
  return isNight(settings, date.getUTCHours() * 60 + date.getUTCMinutes())
    ? settings.night_brightness
    : settings.brightness;
};

export const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The digits of the display, with AM or PM in the 12-hour format. */
export const shown = (hour: number, minute: number, format: Settings['time_format']) =>
  format === '24h'
    ? { digits: `${twoDigits(hour)}:${twoDigits(minute)}`, half: '' }
    : { digits: `${hour % 12 === 0 ? 12 : hour % 12}:${twoDigits(minute)}`, half: hour < 12 ? 'AM' : 'PM' };

/** The day of the week; Monday is 0. */
export const dayOf = (date: Date): number => (date.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;

export const inWords = ({ hour, minute }: Alarm['time'], format: Settings['time_format']): string => {
  const { digits, half } = shown(hour, minute, format);
  return half === '' ? digits : `${digits} ${half}`;
};

export const nextDay = (alarm: Alarm, date: Date): number =>
  dayOf(new Date(ringsNext(alarm, date.getTime())));

export const byTime = (alarms: readonly Alarm[]): readonly Alarm[] =>
  [...alarms].sort(
    ({ time: a, slot }, { time: b, slot: other }) =>
      a.hour * 60 + a.minute - (b.hour * 60 + b.minute) || slot - other,
  );

/** The day and time of the next alarm, in words; null if no alarm will ring. */
export const nextInWords = (alarms: readonly Alarm[], settings: Settings, at: number): string | null => {
  const next = nextAlarm(alarms, settings, new Date(at));
  if (next === null) return null;
  const date = localTime(next.getTime(), settings.timezone_offset_minutes);
  const time = { hour: date.getUTCHours(), minute: date.getUTCMinutes() };
  return `${texts.day(dayOf(date))} ${inWords(time, settings.time_format)}`;
};
