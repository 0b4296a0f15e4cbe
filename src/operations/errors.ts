/** The failures of operations, however they are asked for. */
import type { ErrorBody, FailureCode } from '../contract/index.js';

interface Failure {
  readonly code: FailureCode;
  /** For people. */
  readonly message: string;
  /** When it is worth trying again. */
  readonly retryAfterSecs?: number;
}

/** An action that a simulated device cannot do now; its kind has codes of its own. */
interface ActionFailure {
  readonly code: string;
  readonly message: string;
  readonly status: 404;
}

export type ServerError = Failure | ActionFailure;

export const failure = (code: FailureCode, message: string): ServerError => ({ code, message });

/** More is waiting already than may wait. */
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
