import * as E from 'fp-ts/lib/Either.js';

/** Codes of wrong input. */
export type ParseErrorCode =
  | 'invalid_input'
  | 'invalid_json'
  | 'malformed_request'
  | 'bad_handshake'
  | 'bad_tone'
  | 'name_taken'
  | 'wrong_dice_type'
  | 'not_supported'
  | 'address_taken';

/** Input is wrong: `message` is for a person, `code` for a program. */
export interface ParseError {
  readonly _tag: 'ParseError';
  readonly code: ParseErrorCode;
  readonly message: string;
}

export const parseError = (message: string, code: ParseErrorCode = 'invalid_input'): ParseError => ({
  _tag: 'ParseError',
  code,
  message,
});

/** A value that cannot be read, for this reason. */
export const parseFailure = (message: string): E.Either<ParseError, never> => E.left(parseError(message));
