import { createRequire } from 'node:module';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type * as flexible from 'rate-limiter-flexible';
import type { ServerError } from './errors.js';

const require = createRequire(import.meta.url);

/** From their own files: the index of rate-limiter-flexible loads all the stores that it knows. */
const RateLimiterMemory =
  require('rate-limiter-flexible/lib/RateLimiterMemory.js') as typeof flexible.RateLimiterMemory;
const RateLimiterRes =
  require('rate-limiter-flexible/lib/RateLimiterRes.js') as typeof flexible.RateLimiterRes;

const MINUTE_SECS = 60;

const tooMany = (perMinute: number, msBeforeNext: number): ServerError => ({
  _tag: 'TooManyRequests',
  message: `too many requests: at most ${perMinute} a minute are answered`,
  retryAfterSecs: Math.max(1, Math.ceil(msBeforeNext / 1000)),
});

/** Counts a request of `client`; Left once it has made more than `perMinute` within a minute. */
export const rateLimit = (perMinute: number): ((client: string) => TE.TaskEither<ServerError, void>) => {
  if (perMinute === 0) return () => TE.right(undefined);
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_SECS });
  return (client) => () =>
    limiter.consume(client).then(
      () => E.right(undefined),
      (refused: unknown) => {
        if (refused instanceof RateLimiterRes) return E.left(tooMany(perMinute, refused.msBeforeNext));
        throw refused;
      },
    );
};
