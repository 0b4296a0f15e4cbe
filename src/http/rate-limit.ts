import * as E from 'fp-ts/lib/Either.js';
import type { Clock } from '../time.js';
import type { ServerError } from './errors.js';

const MINUTE_MS = 60_000;

const COUNTED = E.right(undefined);

interface Minute {
  readonly ends: number;
  requests: number;
}

const tooMany = (perMinute: number, msBeforeNext: number): ServerError => ({
  _tag: 'TooManyRequests',
  message: `too many requests: at most ${perMinute} a minute are answered`,
  retryAfterSecs: Math.max(1, Math.ceil(msBeforeNext / 1000)),
});

/** Counts a request of `client`; Left once it has made more than `perMinute` in a minute that began with one of them. */
export const rateLimit = (
  perMinute: number,
  clock: Clock,
): ((client: string) => E.Either<ServerError, void>) => {
  if (perMinute === 0) return () => COUNTED;
  /** In the order in which they began. */
  const minutes = new Map<string, Minute>();

  const begin = (client: string, now: number): Minute => {
    for (const [other, { ends }] of minutes) {
      if (ends > now) break;
      minutes.delete(other);
    }
    const minute = { ends: now + MINUTE_MS, requests: 0 };
    minutes.set(client, minute);
    return minute;
  };

  return (client) => {
    const now = clock.now();
    const known = minutes.get(client);
    const minute = known !== undefined && known.ends > now ? known : begin(client, now);
    minute.requests += 1;
    return minute.requests > perMinute ? E.left(tooMany(perMinute, minute.ends - now)) : COUNTED;
  };
};
