import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';

/** The Right of what must not fail. */
export const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) expect.fail(`Left ${JSON.stringify(result.left)}`);
  return result.right;
};

/** The Left of what must fail. */
export const left = <A>(result: E.Either<A, unknown>): A => {
  if (E.isRight(result)) expect.fail('Right where Left was due');
  return result.left;
};
