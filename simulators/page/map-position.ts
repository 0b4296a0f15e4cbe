/** Where a device stands on the map: the weaker it is received, the further from the middle. */
import type { Device } from './state.js';

/** The map is a square of twice this. */
export const MIDDLE = 200;

const STRONGEST = -30;
const WEAKEST = -100;
const NEAREST = 52;
const FURTHEST = 152;
/** Where those stand that are out of range. */
const BEYOND = 180;
const UNKNOWN = -60;

export const RINGS = [-40, -60, -80, WEAKEST] as const;

/** The border of what can be received at all. */
export const BORDER = 167;

const limited = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

export const radiusOf = (rssi: number): number =>
  NEAREST + ((STRONGEST - limited(rssi, WEAKEST, STRONGEST)) / (STRONGEST - WEAKEST)) * (FURTHEST - NEAREST);

export const distanceOf = ({ rssi, in_range }: Device): number =>
  in_range === false ? BEYOND : radiusOf(rssi ?? UNKNOWN);

/** From the middle of a mark to that of the next one, where names have room. */
const APART = 48;
/** Where marks have room without names, corner to corner. */
const CLOSE = 45;

/** How large the marks of so many may be that stand so far from the middle or further. */
export const scaleAt = (radius: number, count: number): number => {
  const room = (2 * Math.PI * radius) / count;
  return room >= APART ? 1 : Math.min(room / CLOSE, 0.99);
};

interface Moved {
  readonly rssi?: number;
  readonly in_range: boolean;
}

/** Where it is once it stands so far from the middle. */
export const placeAt = (radius: number): Moved =>
  radius > BORDER
    ? { in_range: false }
    : {
        in_range: true,
        rssi: Math.round(
          STRONGEST -
            ((limited(radius, NEAREST, FURTHEST) - NEAREST) / (FURTHEST - NEAREST)) * (STRONGEST - WEAKEST),
        ),
      };

const STEP_DB = 10;

/** Where it is after a step towards the middle, or away from it. */
export const step = ({ rssi, in_range }: Device, nearer: boolean): Moved => {
  const from = rssi ?? UNKNOWN;
  if (in_range === false) return nearer ? { in_range: true, rssi: WEAKEST } : { in_range: false };
  if (!nearer && from <= WEAKEST) return { in_range: false };
  return { in_range: true, rssi: limited(from + (nearer ? STEP_DB : -STEP_DB), WEAKEST, STRONGEST) };
};
