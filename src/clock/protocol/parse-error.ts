import * as E from 'fp-ts/lib/Either.js';

/** Bytes or text that are not what the protocol says; `message` is a sentence for a person. */
export interface ParseError {
  readonly _tag: 'ParseError';
  readonly message: string;
}

export const parseError = (message: string): E.Either<ParseError, never> =>
  E.left({ _tag: 'ParseError', message });
