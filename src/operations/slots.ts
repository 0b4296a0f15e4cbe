/** Limits on the operations that are under way at once. */
import * as E from 'fp-ts/lib/Either.js';
import { tooMany, type ServerError } from './errors.js';

/** At most `most` of those that have the same key. */
export interface Limit {
  readonly key: string;
  readonly most: number;
  /** Answers the request that exceeds it. */
  readonly message: string;
}

/** Takes a slot under each limit. Right gives them back, once. Left: one of the limits is reached. */
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
