import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';

/** The Right of a result that must not be a Left. */
export const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) expect.fail(`Left ${JSON.stringify(result.left)}`);
  return result.right;
};

/** The Left of a result that must not be a Right. */
export const left = <A>(result: E.Either<A, unknown>): A => {
  if (E.isRight(result)) expect.fail('Right where Left was due');
  return result.left;
};
