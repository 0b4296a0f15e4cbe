/** Positions of devices on the map: a weaker signal is further from the middle. */
import type { Device } from './state.js';

/** Half the side of the map, which is a square. */
export const MIDDLE = 200;

const STRONGEST = -30;
const WEAKEST = -100;
const NEAREST = 52;
const FURTHEST = 152;
/** The radius of devices out of range. */
const BEYOND = 180;
const UNKNOWN = -60;

export const RINGS = [-40, -60, -80, WEAKEST] as const;

/** The radius of the border of reception. */
export const BORDER = 167;

const limited = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

export const radiusOf = (rssi: number): number =>
  NEAREST + ((STRONGEST - limited(rssi, WEAKEST, STRONGEST)) / (STRONGEST - WEAKEST)) * (FURTHEST - NEAREST);

export const distanceOf = ({ rssi, in_range }: Device): number =>
  in_range === false ? BEYOND : radiusOf(rssi ?? UNKNOWN);

/** The least distance between the middles of neighbouring marks with names. */
const APART = 48;
/** The least distance between the middles of full-size marks without names. */
const CLOSE = 45;

/** The distance of the middles of `count` marks around the middle at `radius`. */
export const roomAt = (radius: number, count: number): number => (2 * Math.PI * radius) / count;

/** The scale of marks with so much room. */
export const scaleIn = (room: number): number => (room >= APART ? 1 : Math.min(room / CLOSE, 0.99));

interface Position {
  readonly rssi?: number;
  readonly in_range: boolean;
}

/** The position of a device at `radius`. */
export const placeAt = (radius: number): Position =>
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

/** The position of a device after a step towards the middle, or away from it. */
export const step = ({ rssi, in_range }: Device, nearer: boolean): Position => {
  const from = rssi ?? UNKNOWN;
  if (in_range === false) return nearer ? { in_range: true, rssi: WEAKEST } : { in_range: false };
  if (!nearer && from <= WEAKEST) return { in_range: false };
  return { in_range: true, rssi: limited(from + (nearer ? STEP_DB : -STEP_DB), WEAKEST, STRONGEST) };
};
