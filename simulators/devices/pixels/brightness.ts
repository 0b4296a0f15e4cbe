/** The course of a Blink in time (docs/pixels-protocol.md §3.1, §8). */
import type { Blink } from '../../../src/protocols/pixels/index.js';

type Course = Pick<Blink, 'count' | 'durationMs' | 'fade'>;

interface Period {
  /** Half of the period, at which the LEDs begin to darken. */
  readonly halfMs: number;
  /** The time from dark to bright, and from bright to dark. */
  readonly rampMs: number;
}

const MAX_FADE = 255;

const periodOf = ({ count, durationMs, fade }: Course): Period => {
  const halfMs = durationMs / count / 2;
  return { halfMs, rampMs: (halfMs * fade) / MAX_FADE };
};

/** The brightness, from 0 to 1, `ms` after the start. */
export const brightnessAt = (blink: Course, ms: number): number => {
  const { halfMs, rampMs } = periodOf(blink);
  const phase = ms % (2 * halfMs);
  if (phase < rampMs) return phase / rampMs;
  if (phase < halfMs) return 1;
  return phase < halfMs + rampMs ? (halfMs + rampMs - phase) / rampMs : 0;
};

/** When a ramp begins or ends for the `index`th time, from 0, ms after the start. */
export const changeAt = (blink: Course, index: number): number => {
  const { halfMs, rampMs } = periodOf(blink);
  const changes = [...new Set([0, rampMs, halfMs, halfMs + rampMs])].filter((ms) => ms < 2 * halfMs);
  return 2 * halfMs * Math.floor(index / changes.length) + (changes[index % changes.length] ?? 0);
};
