/** Requests and their answers, as the log and the metrics tell of them. */
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/index.js';
import type { TimeSource } from '../async/time.js';
import type { ErrorBody } from '../contract/index.js';
import { errorReply, type ErrorReply, type HttpError } from './errors.js';
import { REQUEST_ID, requestIds } from './request-ids.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

/** The name of all paths that no row has: clients can make up any number of them. */
export const OTHER = 'other';

/** The path of what is asked for: all that a log may have of a URL. */
export const pathIn = ({ url = '' }: Pick<IncomingMessage, 'url'>): string =>
  url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/)[0] ?? '';

/** With the id of its request. */
export interface ErrorAnswer extends ErrorReply {
  readonly body: ErrorBody;
}

/** An answer that has gone out; `aborted`: the client had gone before. */
export interface Answered {
  readonly operation: string;
  readonly status: number | 'aborted';
}

export interface ExchangesOptions {
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly newRequestId: () => string;
}

export const openExchanges = ({ time, log, metrics, newRequestId }: ExchangesOptions) => {
  const idOf = requestIds(newRequestId);

  return {
    idOf,
    /** Begins an exchange; what it returns is to be called when it is over. */
    begin: (request: IncomingMessage): ((answered: Answered) => void) => {
      const began = time.now();
      // Routers change both as they go.
      const { url = '', method = '' } = request;
      return ({ operation, status }) => {
        const ms = time.now() - began;
        if (log.isLevelEnabled('debug'))
          log.debug({ request_id: idOf(request), method, path: pathIn({ url }), status, ms }, 'request');
        const labels = { operation, method: METHODS.includes(method) ? method : OTHER };
        metrics.requests.inc({ ...labels, status });
        metrics.requestSeconds.observe(labels, ms / 1000);
      };
    },
    /** The answer to a request that fails; undefined for one that never became a request. */
    failed: (request: IncomingMessage | undefined, operation: string, error: HttpError): ErrorAnswer => {
      const { status, headers, body } = errorReply(error);
      const request_id = request === undefined ? newRequestId() : idOf(request);
      metrics.requestErrors.inc({ operation, code: body.code });
      if (request === undefined) log.debug({ request_id, status }, 'no request');
      return { status, headers: { [REQUEST_ID]: request_id, ...headers }, body: { ...body, request_id } };
    },
  };
};

export type Exchanges = ReturnType<typeof openExchanges>;
