import * as E from 'fp-ts/lib/Either.js';

/** A Left ends the measurement. */
export const succeeded = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};
