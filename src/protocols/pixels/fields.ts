/** Fields that several messages share. */
import { u8, u32, nearestUnsigned, upTo, type Field } from '../../bytes/index.js';
import type { Rgb } from '../dice-values.js';
import { COLORWAYS, DIE_TYPES, type Colorway, type DieType } from './die-type.js';

/**
 * The states of a die at rest or in motion, in the order of their codes (docs/pixels-protocol.md §4). `rolled`: at rest after a
 * roll; until firmware 2024-10-11 it is any rest, and `onFace` does not occur.
 */
export const ROLL_STATES = ['unknown', 'rolled', 'handling', 'rolling', 'crooked', 'onFace'] as const;
export type RollState = (typeof ROLL_STATES)[number];

/** Battery states in the order of their codes (docs/pixels-protocol.md §6). `done`: full, and still on the charger. */
export const BATTERY_STATES = ['ok', 'low', 'charging', 'done', 'badCharging', 'error'] as const;
export type BatteryState = (typeof BATTERY_STATES)[number];

export const isCharging = (state: BatteryState): boolean => state === 'charging' || state === 'done';

/** One of `values` by its code; an unknown code, as newer firmware may have, reads as `otherwise`. */
const code = <A>(values: readonly A[], otherwise: A): Field<A> => ({
  size: 1,
  read: (from, offset) => values[from.readUInt8(offset)] ?? otherwise,
  write: (to, offset, value) => void to.writeUInt8(values.indexOf(value), offset),
});

export const byte = nearestUnsigned(u8);
export const rollState: Field<RollState> = code(ROLL_STATES, 'unknown');
export const batteryState: Field<BatteryState> = code(BATTERY_STATES, 'error');
export const dieType: Field<DieType> = code<DieType>(DIE_TYPES, 'unknown');
export const percent = upTo('the battery level', 100);

const CUSTOM = 0xff;

/** Colorways in the order of their codes, 0 to 6. */
const colorways: readonly (Colorway | null)[] = [null, ...COLORWAYS.filter((name) => name !== 'custom')];

export const colorwayOf = (value: number): Colorway | null =>
  value === CUSTOM ? 'custom' : (colorways[value] ?? null);

export const colorwayCode = (value: Colorway | null): number =>
  value === 'custom' ? CUSTOM : colorways.indexOf(value);

/** A colorway; null: unknown to the die, or missing in the list. */
export const colorway: Field<Colorway | null> = {
  size: 1,
  read: (from, offset) => colorwayOf(from.readUInt8(offset)),
  write: (to, offset, value) => void to.writeUInt8(colorwayCode(value), offset),
};

/** A time in whole seconds. */
export const unixTime: Field<Date> = {
  size: 4,
  read: (from, offset) => new Date(1000 * u32.read(from, offset)),
  write: (to, offset, value) => u32.write(to, offset, Math.floor(value.getTime() / 1000)),
};

/** Blue, green, red, and a byte without meaning. */
export const colour: Field<Rgb> = {
  size: 4,
  read: (from, offset) => ({
    r: from.readUInt8(offset + 2),
    g: from.readUInt8(offset + 1),
    b: from.readUInt8(offset),
  }),
  write: (to, offset, { r, g, b }) => [b, g, r].forEach((part, at) => byte.write(to, offset + at, part)),
};

/** A text of at most `most` bytes in UTF-8, filled with zeros; a longer text is cut between characters. */
export const text = (size: number, most = size): Field<string> => ({
  size,
  read: (from, offset) => {
    const bytes = from.subarray(offset, offset + size);
    const end = bytes.indexOf(0);
    return bytes.toString('utf8', 0, end < 0 ? size : end);
  },
  write: (to, offset, value) => {
    to.fill(0, offset, offset + size);
    to.write(value, offset, most);
  },
});
