/** Time zones by their IANA names: their offsets, their changes of offset, and the zones that a clock can follow. */
import * as E from 'fp-ts/lib/Either.js';
import { DAY_MS } from '../async/time.js';
import { parseFailure, type ParseError } from '../codecs/parse-error.js';
import { ZONE_STEP } from '../protocols/cgd1/settings.js';

const YEAR_DAYS = 366;

/** An offset as `Intl` writes it: `GMT`, `GMT+05:45`. */
const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d))?/;

type OffsetAt = (at: number) => number;

/** The offset of a zone in minutes east of UTC, at any time in ms since 1970. Throws a RangeError for an unknown zone. */
const offsetsOf = (zone: string): OffsetAt => {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = OFFSET.exec(name) ?? [];
    const size = Number(hours) * 60 + Number(minutes);
    return sign === '-' ? -size : size;
  };
};

/** Whether a name is that of a zone, such as `Europe/Berlin` or `UTC`; an offset such as `+01:00` is not. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    offsetsOf(name);
    return true;
  } catch {
    return false;
  }
};

/** The names of which the tz database has changed, as its file `backward` says; `Intl` may list a zone by either name. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** The zones with offsets that no clock can store. To ask `Intl` for the offsets of all zones takes 0.2 s. */
const NOT_FOLLOWABLE: readonly string[] = ['Asia/Kathmandu', 'Australia/Eucla', 'Pacific/Chatham'];

/** The present name of a zone. */
export const presentName = (zone: string): string => RENAMED[zone] ?? zone;

/** The present names of the zones that a clock can follow, UTC first. */
export const timeZones = (): readonly string[] => {
  const present = Intl.supportedValuesOf('timeZone').map(presentName).sort();
  return [...new Set(['UTC', ...present])].filter((zone) => !NOT_FOLLOWABLE.includes(zone));
};

/** The name of a zone in its usual case: names are equal in any case. */
export const usualName = (zone: string): string =>
  [...timeZones(), ...NOT_FOLLOWABLE, ...Object.keys(RENAMED)].find(
    (other) => other.toLowerCase() === zone.toLowerCase(),
  ) ?? zone;

/** Minutes east of UTC of a zone at a time. */
export const offsetAt = (zone: string, at: Date): number => offsetsOf(zone)(at.getTime());

/** The first time after `from`, up to `until`, with another offset than `from`; null: the offset is the same at both. */
const changeBetween = (offset: OffsetAt, from: number, until: number): number | null => {
  const before = offset(from);
  if (offset(until) === before) return null;
  let [same, other] = [from, until];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offset(middle) === before) same = middle;
    else other = middle;
  }
  return other;
};

/** The changes of the offset of a zone within some days. No zone has two changes within a day. */
const changesAfter = (zone: string, after: Date, daysAhead: number): readonly number[] => {
  const offset = offsetsOf(zone);
  const days = Array.from({ length: daysAhead }, (_, day) => after.getTime() + day * DAY_MS);
  return days.map((day) => changeBetween(offset, day, day + DAY_MS)).filter((at) => at !== null);
};

/** The next change of the offset of a zone within some days, a year by default; null: no change. A year takes some 10 ms. */
export const nextChange = (zone: string, after: Date, daysAhead = YEAR_DAYS): Date | null => {
  const [first] = changesAfter(zone, after, daysAhead);
  return first === undefined ? null : new Date(first);
};

const isSettable = (offset: number): boolean => offset % ZONE_STEP === 0;

/** The offset of a zone now. Left: the zone has an offset now or within a year that no clock can store. */
export const followableOffset = (zone: string, now: Date): E.Either<ParseError, number> => {
  const current = offsetAt(zone, now);
  const later = changesAfter(zone, now, YEAR_DAYS).map((at) => offsetAt(zone, new Date(at)));
  const wrong = [current, ...later].find((offset) => !isSettable(offset));
  if (wrong === undefined) return E.right(current);
  const below = Math.floor(wrong / ZONE_STEP) * ZONE_STEP;
  return parseFailure(
    `timezone must be a zone with offsets in steps of ${ZONE_STEP} minutes, got ${JSON.stringify(zone)} with ${wrong}: the nearest timezone_offset_minutes are ${below} and ${below + ZONE_STEP}`,
  );
};
