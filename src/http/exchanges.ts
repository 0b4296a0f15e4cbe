/** Requests and their answers in the log and the metrics. */
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.js';
import type { TimeSource } from '../async/time.js';
import { errorReply, type ErrorAnswer, type HttpError } from './errors.js';

export const REQUEST_ID = 'X-Request-Id';

const ACCEPTED_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

/** The label of all paths without a row, because clients can invent any number of paths. */
export const OTHER = 'other';

/** The path of a request, the only part of a URL that may appear in the log. */
export const pathIn = ({ url = '' }: Pick<IncomingMessage, 'url'>): string =>
  url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/)[0] ?? '';

/** The end of an exchange; `aborted`: the client left before the end of the answer. */
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

/** The id of a request in its answer and in the log: the id of the client if it is short and plain, otherwise a new id. */
const requestIds = (newId: () => string): ((request: IncomingMessage) => string) => {
  const ids = new WeakMap<IncomingMessage, string>();
  return (request) => {
    const sent = request.headers['x-request-id'];
    const id = ids.get(request) ?? (typeof sent === 'string' && ACCEPTED_ID.test(sent) ? sent : newId());
    ids.set(request, id);
    return id;
  };
};

export const openExchanges = ({ time, log, metrics, newRequestId }: ExchangesOptions) => {
  const idOf = requestIds(newRequestId);

  return {
    idOf,
    /** Begins an exchange; the caller calls the returned function at its end. */
    begin: (request: IncomingMessage): ((answered: Answered) => void) => {
      const began = time.now();
      // Routers change the URL and the method later.
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
    /** The answer to a failed request; `request` is undefined for bytes that are not HTTP. */
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
