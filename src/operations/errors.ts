/** The failures of operations over all transports. */
import type { ErrorBody, FailureCode } from '../contract/index.js';

interface Failure {
  readonly code: FailureCode;
  /** For people. */
  readonly message: string;
  /** The time until another try can succeed. */
  readonly retryAfterSecs?: number;
}

/** An action that a simulated device cannot do now, with a code of the device's kind. */
interface ActionFailure {
  readonly code: string;
  readonly message: string;
  readonly status: 404;
}

export type ServerError = Failure | ActionFailure;

export const failure = (code: FailureCode, message: string): ServerError => ({ code, message });

/** The failure of a request beyond a limit on requests. */
export const tooMany = (message: string, retryAfterSecs: number): ServerError => ({
  code: 'too_many_requests',
  message,
  retryAfterSecs,
});

export const bodyTooLarge = (limit: number): ServerError =>
  failure('body_too_large', `the body must be at most ${limit} bytes`);

export const internalError = failure('internal_error', 'the server failed on this request');

export const shuttingDown = failure('shutting_down', 'the server is shutting down');

/** A message for people and a code for programs. */
export type ErrorMessage = Omit<ErrorBody, 'request_id'>;

export const errorBody = ({ message, code }: ServerError): ErrorMessage => ({ error: message, code });
