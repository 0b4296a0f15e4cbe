import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';

/** Lets `limit` tasks run at a time; more fail immediately with `full`. */
export const requestLimit = <Why>(
  limit: number,
  full: Why,
): (<A>(task: TE.TaskEither<Why, A>) => TE.TaskEither<Why, A>) => {
  let running = 0;
  return (task) => async () => {
    if (running >= limit) return E.left(full);
    running += 1;
    try {
      return await task();
    } finally {
      running -= 1;
    }
  };
};
