import * as E from 'fp-ts/lib/Either.js';
import { hex, nearestUnsigned, struct, u8, within, type Field } from '../../bytes/index.js';
import { parseFailure, type ParseError } from '../../codecs/parse-error.js';
import {
  SIGNATURE_BYTES,
  BRIGHTNESS_STEP,
  SETTINGS_BYTES,
  ZONE_STEP,
  type Settings,
  type SettingsRecord,
} from './settings.js';

const byte = nearestUnsigned(u8);

const time = struct({ hour: byte, minute: byte });

/** The bits of `mask` in a byte; the other bits stay as they are. */
const bits = <A>(mask: number, read: (bits: number) => A, write: (value: A) => number): Field<A> => ({
  size: 1,
  read: (from, offset) => read(from.readUInt8(offset) & mask),
  write: (to, offset, value) => void to.writeUInt8((to.readUInt8(offset) & ~mask) | write(value), offset),
});

const bit = <A>(mask: number, unset: A, set: A): Field<A> =>
  bits(
    mask,
    (value) => (value === 0 ? unset : set),
    (value) => (value === set ? mask : 0),
  );

const flag = bits(0xff, (value) => value !== 0, Number);

const MAX_NIBBLE = 0x0f;

/** Four bits from bit `shift` on. */
const brightness = (shift: 0 | 4): Field<number> =>
  bits(
    MAX_NIBBLE << shift,
    (steps) => (steps >> shift) * BRIGHTNESS_STEP,
    (percent) => within(0, MAX_NIBBLE, percent / BRIGHTNESS_STEP) << shift,
  );

/** The offset of the sign of a time zone from its number: 1, or 0 for west of UTC. */
const SIGN = 7;

const zone: Field<number> = {
  size: SIGN + 1,
  read: (from, offset) => {
    const minutes = from.readUInt8(offset) * ZONE_STEP;
    return from.readUInt8(offset + SIGN) === 0 && minutes > 0 ? -minutes : minutes;
  },
  write: (to, offset, minutes) => {
    byte.write(to, offset, Math.abs(minutes) / ZONE_STEP);
    byte.write(to, offset + SIGN, Number(minutes >= 0));
  },
};

/**
 * The place of each setting in the record (docs/cgd1-protocol.md §7, less the two bytes before the record). The bits 3
 * and 5 to 7 of byte 3 have no known meaning.
 */
const places: { readonly [K in keyof Settings]: readonly [at: number, field: Field<Settings[K]>] } = {
  volume: [0, byte],
  language: [3, bit(0x01, 'zh', 'en')],
  time_format: [3, bit(0x02, '24h', '12h')],
  temperature_unit: [3, bit(0x04, 'C', 'F')],
  alarms_enabled: [3, bit(0x10, true, false)],
  timezone_offset_minutes: [4, zone],
  screen_light_secs: [5, byte],
  brightness: [6, brightness(4)],
  night_brightness: [6, brightness(0)],
  night_start: [7, time],
  night_end: [9, time],
  night_mode_enabled: [12, flag],
  ringtone: [14, hex(SIGNATURE_BYTES)],
};

const names = Object.keys(places) as (keyof Settings)[];

/** Reads a record of any 18 bytes. Left: another length. */
export const decodeSettings = (record: SettingsRecord): E.Either<ParseError, Settings> => {
  if (record.length !== SETTINGS_BYTES) {
    return parseFailure(`the settings must have ${SETTINGS_BYTES} bytes, got ${record.length}`);
  }
  const read = (name: keyof Settings): unknown => {
    const [at, field] = places[name];
    return field.read(record, at);
  };
  return E.right(Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as Settings);
};

/** Changes of settings; a setting that is undefined, or left out, stays as it is. */
export type SettingsChanges = { readonly [K in keyof Settings]?: Settings[K] | undefined };

const set = <K extends keyof Settings>(record: Buffer, name: K, value: Settings[K] | undefined): void => {
  const [at, field] = places[name];
  if (value !== undefined) field.write(record, at, value);
};

/**
 * A copy of `record`, which has 18 bytes, with some settings changed and every other bit as it was.
 * A number becomes the nearest that the record can hold: a time zone is rounded to 6 minutes, brightness to 10 %.
 */
export const encodeSettings = (record: SettingsRecord, changes: SettingsChanges): SettingsRecord => {
  const changed = Buffer.from(record);
  for (const name of names) set(changed, name, changes[name]);
  return changed;
};
