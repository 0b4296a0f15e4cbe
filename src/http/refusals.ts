/** Answers to requests that fail: JSON with a message, a code and the id of the request. */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import { parseError } from '../codecs/index.js';
import { bodyTooLarge, failure, internalError } from '../operations/index.js';
import type { HttpError } from './errors.js';
import { OTHER, type Exchanges } from './exchanges.js';
import type { HttpClient } from './guard.js';
import { MAX_BODY } from './route.js';

/** Data about a request that middleware stores for later handlers. */
interface Locals {
  /** The path of the route, once the request has one. */
  operation?: string;
  /** The sender, set before the choice of a route. */
  client: HttpClient;
}

type Params = Request['params'];
type Query = Request['query'];
export type Handler = RequestHandler<Params, unknown, unknown, Query, Locals>;
type HandledRequest = Parameters<Handler>[0];
type HandledResponse = Response<unknown, Locals>;

export interface Refusals {
  readonly refuse: (request: HandledRequest, response: HandledResponse, error: HttpError) => void;
  /** Passes requests that `check` accepts, and refuses others. */
  readonly passing: (
    check: (request: HandledRequest, client: HttpClient) => E.Either<HttpError, unknown>,
  ) => Handler;
  /** Answers exceptions of other middleware; mounted last. */
  readonly failed: ErrorRequestHandler<Params, unknown, unknown, Query, Locals>;
}

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The error for an exception of Express or its body reader about a wrong request. */
const clientError = (thrown: unknown): HttpError | undefined => {
  if (thrown instanceof URIError)
    return parseError('the path is not valid percent-encoding', 'malformed_request');
  const type = property(thrown, 'type');
  if (type === 'entity.too.large') return bodyTooLarge(MAX_BODY);
  if (type === 'encoding.unsupported')
    return failure('unsupported_media_type', 'the content encoding must be identity, gzip, deflate or br');
  return property(thrown, 'status') === 400
    ? parseError('the body cannot be read', 'malformed_request')
    : undefined;
};

export const refusals = (exchanges: Exchanges, log: Logger): Refusals => {
  const refuse: Refusals['refuse'] = (request, response, error) => {
    const { status, headers, body } = exchanges.failed(request, response.locals.operation ?? OTHER, error);
    response.status(status).set(headers);
    // With a Connection header, Node neither adds `close` to it nor closes the connection.
    if ('Connection' in headers && !response.shouldKeepAlive) response.append('Connection', 'close');
    response.json(body);
  };

  return {
    refuse,
    passing: (check) => (request, response, next) => {
      const checked = check(request, response.locals.client);
      if (E.isLeft(checked)) refuse(request, response, checked.left);
      else next();
    },
    failed: (thrown: unknown, request, response, next) => {
      const requestError = clientError(thrown);
      const { method, path } = request;
      if (requestError === undefined)
        log.error({ request_id: exchanges.idOf(request), err: thrown, method, path }, 'a request failed');
      if (response.headersSent) next(thrown);
      else refuse(request, response, requestError ?? internalError);
    },
  };
};
