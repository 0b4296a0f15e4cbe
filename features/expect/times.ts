/** Times of ISO 8601 in UTC. */
import { that, type Matcher } from './expect.js';

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** How far the clocks of server and tester may be apart, ms. */
export const CLOCKS_APART_MS = 30_000;

/** A time between two others, in milliseconds since 1970. */
export const timeBetween = (from: number, to: number): Matcher =>
  that(
    `a time in UTC from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
    (time) =>
      typeof time === 'string' && UTC.test(time) && Date.parse(time) >= from && Date.parse(time) <= to,
  );

/** The present time. */
export const now = (): Matcher => {
  const at = Date.now();
  return timeBetween(at - CLOCKS_APART_MS, at + CLOCKS_APART_MS);
};
