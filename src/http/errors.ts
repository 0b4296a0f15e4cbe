/** Errors of requests over HTTP alone, and the status and headers of every error. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { cut } from '../codecs/index.js';
import { failures, type ErrorBody, type FailureCode } from '../contract/index.js';
import { errorBody, type ErrorMessage, type ServerError } from '../operations/index.js';

export type HttpError =
  | ServerError
  | { readonly _tag: 'UnknownRoute'; readonly path: string }
  | {
      readonly _tag: 'MethodNotAllowed';
      readonly method: string;
      readonly path: string;
      readonly allowed: readonly string[];
    }
  | { readonly _tag: 'RequestTimeout' }
  /** A WebSocket path asked for without an upgrade. */
  | { readonly _tag: 'UpgradeRequired'; readonly path: string }
  | { readonly _tag: 'HeadersTooLarge' };

type Headers = Readonly<Record<string, string>>;

export interface ErrorReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ErrorMessage;
}

/** With the id of its request. */
export interface ErrorAnswer extends ErrorReply {
  readonly body: ErrorBody;
}

const reply = (code: FailureCode, error: string, headers: Headers = {}): ErrorReply => ({
  status: failures[code].status,
  headers,
  body: { error, code },
});

const isFailureCode = (code: string): code is FailureCode => code in failures;

const headersOf = (error: ServerError): Headers => {
  if (error._tag === 'Unauthorized') return { 'WWW-Authenticate': 'Bearer realm="airbench"' };
  return error._tag === 'TooManyRequests' ? { 'Retry-After': String(error.retryAfterSecs) } : {};
};

/** The status, headers and body that answer an error. */
export const errorReply = (error: HttpError): ErrorReply => {
  switch (error._tag) {
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
    case 'UpgradeRequired':
      return reply('upgrade_required', `${error.path} is a WebSocket: connect to it with an upgrade`, {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
      });
    case 'HeadersTooLarge':
      return reply('headers_too_large', 'the request headers are too large');
    case 'ParseError':
    case 'NotConnected':
    case 'Conflict':
    case 'ActionFailed':
    case 'CoreError':
    case 'Unauthorized':
    case 'Forbidden':
    case 'BodyTooLarge':
    case 'UnsupportedMedia':
    case 'TooManyRequests':
    case 'Unavailable': {
      const body = errorBody(error);
      // An action may have a code of its kind of device alone.
      const { code } = body;
      const status = error._tag !== 'ActionFailed' && isFailureCode(code) ? failures[code].status : 404;
      return { status, headers: headersOf(error), body };
    }
  }
};

/** Answers where there is no response object: on a connection that never became a request. */
export const answerOn = (
  socket: Duplex,
  { status, headers, body }: ErrorAnswer,
  extra: Headers = {},
): void => {
  if (!socket.writable) return void socket.destroy();
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    ...extra,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
};
