/** Everything that can go wrong with an operation, however it was asked for. */
import type { ParseError } from '../codecs/index.js';
import type { CodeOf, ErrorBody } from '../contract/index.js';

export type ServerError =
  /** The request of the client is wrong. */
  | ParseError
  /** A device or session that is not there. */
  | { readonly _tag: 'NotConnected'; readonly code: CodeOf<404>; readonly message: string }
  /** Somebody else has the device. */
  | { readonly _tag: 'Conflict'; readonly code: CodeOf<409>; readonly message: string }
  /** A simulated device cannot do an action now; its kind has codes of its own. */
  | { readonly _tag: 'ActionFailed'; readonly code: string; readonly message: string }
  /** Radio, device, time limit or the server itself. */
  | { readonly _tag: 'CoreError'; readonly code: CodeOf<500>; readonly message: string }
  /** No token that is known. */
  | { readonly _tag: 'Unauthorized'; readonly message: string }
  /** Not with this token, from this page or under this name. */
  | { readonly _tag: 'Forbidden'; readonly code: CodeOf<403>; readonly message: string }
  /** `limit` in bytes. */
  | { readonly _tag: 'BodyTooLarge'; readonly limit: number }
  /** Neither JSON nor in UTF-8, as far as it says itself. */
  | { readonly _tag: 'UnsupportedMedia'; readonly message: string }
  /** More is waiting already than may wait; worth trying again after `retryAfterSecs`. */
  | { readonly _tag: 'TooManyRequests'; readonly message: string; readonly retryAfterSecs: number }
  /** Not now: shutting down, or not ready. */
  | { readonly _tag: 'Unavailable'; readonly code: CodeOf<503>; readonly message: string };

export const notConnected = (code: CodeOf<404>, message: string): ServerError => ({
  _tag: 'NotConnected',
  code,
  message,
});

export const coreError = (code: CodeOf<500>, message: string): ServerError => ({
  _tag: 'CoreError',
  code,
  message,
});

export const tooMany = (message: string, retryAfterSecs: number): ServerError => ({
  _tag: 'TooManyRequests',
  message,
  retryAfterSecs,
});

export const internalError: ServerError = coreError('internal_error', 'the server failed on this request');

export const shuttingDown: ServerError = {
  _tag: 'Unavailable',
  code: 'shutting_down',
  message: 'the server is shutting down',
};

/** A message for people and a code for programs. */
export type ErrorMessage = Omit<ErrorBody, 'request_id'>;

/** The message and the code that answer an error. */
export const errorBody = (error: ServerError): ErrorMessage => {
  switch (error._tag) {
    case 'ParseError':
    case 'NotConnected':
    case 'Conflict':
    case 'ActionFailed':
    case 'CoreError':
    case 'Forbidden':
    case 'Unavailable':
      return { error: error.message, code: error.code };
    case 'Unauthorized':
      return { error: error.message, code: 'unauthorized' };
    case 'BodyTooLarge':
      return { error: `the body must be at most ${error.limit} bytes`, code: 'body_too_large' };
    case 'UnsupportedMedia':
      return { error: error.message, code: 'unsupported_media_type' };
    case 'TooManyRequests':
      return { error: error.message, code: 'too_many_requests' };
  }
};
