/** Everything that can go wrong between a request and its response, and the one place that turns it into a response. */
import type * as t from 'io-ts';
import { cut, named, object, text, type ParseError } from '../codecs/index.js';
import { failures, type CodeOf, type FailureCode } from '../contract/index.js';

export type ServerError =
  /** What the client wrote is wrong. */
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
  | { readonly _tag: 'UnknownRoute'; readonly path: string }
  | {
      readonly _tag: 'MethodNotAllowed';
      readonly method: string;
      readonly path: string;
      readonly allowed: readonly string[];
    }
  | { readonly _tag: 'RequestTimeout' }
  /** `limit` in bytes. */
  | { readonly _tag: 'BodyTooLarge'; readonly limit: number }
  | { readonly _tag: 'UnsupportedMedia'; readonly message: string }
  /** A WebSocket path asked for without an upgrade. */
  | { readonly _tag: 'UpgradeRequired'; readonly path: string }
  | { readonly _tag: 'HeadersTooLarge' }
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

export const internalError: ServerError = coreError('internal_error', 'the server failed on this request');

export const shuttingDown: ServerError = {
  _tag: 'Unavailable',
  code: 'shutting_down',
  message: 'the server is shutting down',
};

/** The body of every error answer: a sentence for people, a code for programs, and what to look for in the log. */
export const ErrorBody = named(
  'Error',
  'Why it failed; `request_id` is in the log too',
  object({ error: text, code: text, request_id: text }),
);
export type ErrorBody = t.TypeOf<typeof ErrorBody>;

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Omit<ErrorBody, 'request_id'>;
}

const reply = (
  code: FailureCode,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorReply => ({ status: failures[code].status, headers, body: { error, code } });

/** The status, headers and body that answer an error. */
export const errorReply = (error: ServerError): ErrorReply => {
  switch (error._tag) {
    case 'ParseError':
    case 'NotConnected':
    case 'Conflict':
    case 'CoreError':
    case 'Forbidden':
    case 'Unavailable':
      return reply(error.code, error.message);
    case 'Unauthorized':
      return reply('unauthorized', error.message, { 'WWW-Authenticate': 'Bearer realm="airbench"' });
    case 'ActionFailed':
      return { status: 404, headers: {}, body: { error: error.message, code: error.code } };
    case 'UnknownRoute':
      return reply('unknown_route', `there is nothing at ${cut(error.path)}`);
    case 'MethodNotAllowed': {
      const allowed = error.allowed.join(', ');
      return reply('method_not_allowed', `${cut(error.path)} answers ${allowed}, not ${error.method}`, {
        Allow: allowed,
      });
    }
    case 'RequestTimeout':
      return reply('request_timeout', 'the request did not arrive in time');
    case 'BodyTooLarge':
      return reply('body_too_large', `the body must be at most ${error.limit} bytes`);
    case 'UnsupportedMedia':
      return reply('unsupported_media_type', error.message);
    case 'UpgradeRequired':
      return reply('upgrade_required', `${error.path} is a WebSocket: connect to it with an upgrade`, {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
      });
    case 'HeadersTooLarge':
      return reply('headers_too_large', 'the request headers are too large');
    case 'TooManyRequests':
      return reply('too_many_requests', error.message, { 'Retry-After': String(error.retryAfterSecs) });
  }
};
