/** Everything that can go wrong between a request and its answer, and the one place that turns it into an answer. */
import type * as t from 'io-ts';
import { object, text, type ParseError } from '../codecs/index.js';

export type ServerError =
  /** What the client wrote is wrong. */
  | ParseError
  /** A device or session that is not there. */
  | { readonly _tag: 'NotConnected'; readonly code: string; readonly message: string }
  /** Radio, device, time limit or the server itself. */
  | { readonly _tag: 'CoreError'; readonly code: string; readonly message: string }
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
  | { readonly _tag: 'Unavailable'; readonly code: string; readonly message: string };

export const notConnected = (code: string, message: string): ServerError => ({
  _tag: 'NotConnected',
  code,
  message,
});

export const coreError = (code: string, message: string): ServerError => ({
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

/** The body of every error answer: a sentence for people, a code for programs. */
export const ErrorBody = object({ error: text, code: text });
export type ErrorBody = t.TypeOf<typeof ErrorBody>;

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

const reply = (
  status: number,
  code: string,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorReply => ({ status, headers, body: { error, code } });

/** The status, headers and body that answer an error. */
export const errorReply = (error: ServerError): ErrorReply => {
  switch (error._tag) {
    case 'ParseError':
      return reply(400, error.code, error.message);
    case 'NotConnected':
      return reply(404, error.code, error.message);
    case 'CoreError':
      return reply(500, error.code, error.message);
    case 'UnknownRoute':
      return reply(404, 'unknown_route', `there is nothing at ${error.path}`);
    case 'MethodNotAllowed': {
      const allowed = error.allowed.join(', ');
      return reply(405, 'method_not_allowed', `${error.path} answers ${allowed}, not ${error.method}`, {
        Allow: allowed,
      });
    }
    case 'RequestTimeout':
      return reply(408, 'request_timeout', 'the request did not arrive in time');
    case 'BodyTooLarge':
      return reply(413, 'body_too_large', `the body must be at most ${error.limit} bytes`);
    case 'UnsupportedMedia':
      return reply(415, 'unsupported_media_type', error.message);
    case 'UpgradeRequired':
      return reply(426, 'upgrade_required', `${error.path} is a WebSocket: connect to it with an upgrade`, {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
      });
    case 'HeadersTooLarge':
      return reply(431, 'headers_too_large', 'the request headers are too large');
    case 'TooManyRequests':
      return reply(429, 'too_many_requests', error.message, { 'Retry-After': String(error.retryAfterSecs) });
    case 'Unavailable':
      return reply(503, error.code, error.message);
  }
};
