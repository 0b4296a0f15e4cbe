/** Errors that only HTTP has, and the status and headers of every error. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { cut } from '../codecs/index.js';
import { failures, type ErrorBody } from '../contract/index.js';
import { errorBody, failure, type ErrorMessage, type ServerError } from '../operations/index.js';

type Headers = Readonly<Record<string, string>>;

export type HttpError = ServerError & { readonly headers?: Headers };

export const unknownRoute = (path: string): HttpError =>
  failure('unknown_route', `there is nothing at ${cut(path)}`);

export const methodNotAllowed = (method: string, path: string, allowed: readonly string[]): HttpError => {
  const Allow = allowed.join(', ');
  return {
    ...failure('method_not_allowed', `${cut(path)} answers ${Allow}, not ${method}`),
    headers: { Allow },
  };
};

/** The error of a request without an upgrade for a WebSocket path. */
export const upgradeRequired = (path: string): HttpError => ({
  ...failure(
    'upgrade_required',
    `${path} is a WebSocket: connect to it with an upgrade, on a connection without other requests`,
  ),
  headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
});

interface ErrorReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ErrorMessage;
}

/** The reply with the id of its request. */
export interface ErrorAnswer extends ErrorReply {
  readonly body: ErrorBody;
}

/** The status, headers and body that answer an error. */
export const errorReply = (error: HttpError): ErrorReply => ({
  status: 'status' in error ? error.status : failures[error.code].status,
  headers: {
    ...(error.code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer realm="airbench"' }),
    ...('retryAfterSecs' in error && { 'Retry-After': String(error.retryAfterSecs) }),
    ...error.headers,
  },
  body: errorBody(error),
});

/** Answers on a connection without a request and a response object. */
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
