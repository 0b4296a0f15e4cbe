/** Limits on the requests of clients: in a minute, and at once. */
import * as E from 'fp-ts/lib/Either.js';
import { MINUTE_MS, type TimeSource } from '../async/time.js';
import { tooMany, type ServerError } from './errors.js';

/** Counts a request of `client`. Left: the client has sent more than `perMinute` within a minute from the first; 0: no limit. */
export const rateLimit = (
  perMinute: number,
  time: TimeSource,
): ((client: string) => E.Either<ServerError, void>) => {
  /** The minutes of clients, in the order of their ends. */
  const minutes = new Map<string, { readonly ends: number; count: number }>();

  const forgetPast = (now: number): void => {
    for (const [client, { ends }] of minutes) {
      if (ends > now) return;
      minutes.delete(client);
    }
  };

  return (client) => {
    if (perMinute === 0) return E.right(undefined);
    const now = time.now();
    forgetPast(now);
    const minute = minutes.get(client) ?? { ends: now + MINUTE_MS, count: 0 };
    minutes.set(client, minute);
    minute.count += 1;
    if (minute.count <= perMinute) return E.right(undefined);
    const message = `too many requests: at most ${perMinute} a minute are answered`;
    return E.left(tooMany(message, Math.max(1, Math.ceil((minute.ends - now) / 1000))));
  };
};

/** Lets at most `most` requests with the same key be under way. */
export interface Limit {
  readonly key: string;
  readonly most: number;
  /** The message for the request that exceeds the limit. */
  readonly message: string;
}

/** Takes a slot under each limit. Right: a function to release the slots, once. Left: one of the limits is reached. */
export type TakeSlot = (limits: readonly Limit[]) => E.Either<ServerError, () => void>;

export const openSlots = (): TakeSlot => {
  const taken = new Map<string, number>();
  const takenOf = (key: string): number => taken.get(key) ?? 0;
  return (limits) => {
    const reached = limits.find(({ key, most }) => takenOf(key) >= most);
    if (reached !== undefined) return E.left(tooMany(reached.message, 1));
    for (const { key } of limits) taken.set(key, takenOf(key) + 1);
    return E.right(() => {
      for (const { key } of limits) {
        if (takenOf(key) === 1) taken.delete(key);
        else taken.set(key, takenOf(key) - 1);
      }
    });
  };
};
