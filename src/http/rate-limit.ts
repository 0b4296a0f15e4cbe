import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ServerError } from './errors.js';

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
