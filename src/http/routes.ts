/** A table of routes, mounted on express so that everything it does not answer is answered in JSON too. */
import type { IncomingMessage } from 'node:http';
import type { Application, NextFunction, Request, RequestHandler, Response } from 'express';
import * as E from 'fp-ts/lib/Either.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { jsonBody, MAX_BODY, readBody } from './body.js';
import { queryOf, parseError } from '../codecs/index.js';
import { mediaType, type Access, type RawRequest } from '../contract/index.js';
import type { Connections } from './connections.js';
import { cors } from './cors.js';
import { internalError, shuttingDown, type ErrorBody, type ServerError } from './errors.js';
import { OTHER, type Exchanges } from './exchanges.js';
import { authorize, type Client, type Guard } from './guard.js';
import { REQUEST_ID } from './request-ids.js';
import type { Requests } from './requests.js';
import type { Route } from './route.js';

/** What is known of the requests that are under way. */
interface Mounting extends Context {
  readonly clients: WeakMap<IncomingMessage, Client>;
}

interface Context {
  readonly connections: Connections;
  readonly exchanges: Exchanges;
  readonly requests: Requests;
  readonly guard: Guard;
  readonly log: Logger;
}

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The path of the row that a request came to. */
const operationOf = (request: Request): string => {
  const path = property(request.route, 'path');
  return typeof path === 'string' ? path : OTHER;
};

/** As express does, but for what it finds out about each answer, and is known of these. */
const sendJson = (response: Response, json: Json | ErrorBody): void => {
  const text = JSON.stringify(json);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
};

const sendError = ({ exchanges }: Context, response: Response, error: ServerError): void => {
  const { status, headers, body } = exchanges.failed(response.req, operationOf(response.req), error);
  response.status(status).set(headers);
  // Beside a Connection header Node does not write that it closes, and then it does not close.
  if ('Connection' in headers && !response.shouldKeepAlive) response.append('Connection', 'close');
  sendJson(response, body);
};

/** For requests that arrive, or are complete, only while the server ends. */
const refuseLate = (context: Context, response: Response): void => {
  response.set('Connection', 'close');
  sendError(context, response, shuttingDown);
};

/** What a body that is left out counts as. */
const noBody = {
  required: E.left(parseError('the body is missing: it must be a JSON object')),
  optional: E.right({}),
} satisfies Readonly<Record<string, E.Either<ServerError, unknown>>>;

const rawRequest = (route: Route, request: Request): E.Either<ServerError, RawRequest> => {
  const raw = (body: unknown): RawRequest => ({
    params: request.params,
    query: queryOf(request.originalUrl),
    body,
  });
  const { bodyIs } = route.endpoint;
  return bodyIs === 'ignored'
    ? E.right(raw(undefined))
    : pipe(jsonBody(request.body, request.headers['content-type'], noBody[bodyIs]), E.map(raw));
};

const answer = (
  route: Route,
  request: Request,
  signal: AbortSignal,
): TE.TaskEither<ServerError, (response: Response) => void> =>
  pipe(
    rawRequest(route, request),
    E.chainW(route.answer),
    TE.fromEither,
    TE.chain((run) => run(signal)),
    TE.map((given) => (response) => {
      if (Buffer.isBuffer(given)) response.type(mediaType(route.endpoint));
      response.set(route.endpoint.headers);
      if (Buffer.isBuffer(given)) response.send(given);
      else sendJson(response, given);
    }),
  );

const serve =
  (route: Route, context: Context): RequestHandler =>
  async (request, response) => {
    const { requests, connections, exchanges, log } = context;
    const gone = connections.gone(request.socket);
    // Its client has disconnected while its body was read and unpacked.
    if (gone.aborted) return;
    if (requests.closing) {
      refuseLate(context, response);
      return;
    }
    const { signal, finished } = requests.begin(gone);
    response.once('close', () => finished(response.writableFinished));
    const send = (outcome: E.Either<ServerError, (response: Response) => void>): void => {
      if (response.destroyed) return;
      if (E.isRight(outcome)) outcome.right(response);
      else sendError(context, response, outcome.left);
    };
    try {
      send(await answer(route, request, signal)());
    } catch (defect) {
      const { method, path } = request;
      log.error({ request_id: exchanges.idOf(request), err: defect, method, path }, 'a request failed');
      send(E.left(internalError));
    }
  };

/** What express and its body reader throw, as one of ours. */
const thrownError = (thrown: unknown, request: Request, { exchanges, log }: Context): ServerError => {
  const type = property(thrown, 'type');
  if (type === 'entity.too.large') return { _tag: 'BodyTooLarge', limit: MAX_BODY };
  if (type === 'encoding.unsupported') {
    return {
      _tag: 'UnsupportedMedia',
      message: 'the content encoding must be identity, gzip, deflate or br',
    };
  }
  if (property(thrown, 'status') === 400) {
    return parseError(
      thrown instanceof URIError ? 'the path is not valid percent-encoding' : 'the body cannot be read',
      'malformed_request',
    );
  }
  log.error({ request_id: exchanges.idOf(request), err: thrown }, 'a request failed');
  return internalError;
};

/** Lets through those who may ask for what needs `access`. */
const authorized =
  (access: Access, context: Mounting): RequestHandler =>
  (request, response, next) =>
    pipe(
      context.clients.get(request),
      E.fromNullable<ServerError>(internalError),
      E.chain((client) => authorize(client, access)),
      E.match(
        (error) => sendError(context, response, error),
        () => next(),
      ),
    );

const byPath = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> => {
  const paths = new Map<string, Route[]>();
  for (const route of routes) {
    const { path } = route.endpoint;
    paths.set(path, [...(paths.get(path) ?? []), route]);
  }
  return paths;
};

const refuseMethod =
  (context: Context, allowed: readonly string[]): RequestHandler =>
  (request, response) => {
    if (request.method === 'OPTIONS') {
      response.status(204).set('Allow', allowed.join(', ')).end();
    } else {
      const { method, path } = request;
      sendError(context, response, { _tag: 'MethodNotAllowed', method, path, allowed });
    }
  };

const mountPath = (app: Application, path: string, routes: readonly Route[], context: Mounting): void => {
  const at = app.route(path);
  for (const route of routes) {
    const { access, bodyIs } = route.endpoint;
    const handlers = [
      authorized(access, context),
      ...(bodyIs === 'ignored' ? [] : [readBody]),
      serve(route, context),
    ];
    switch (route.endpoint.method) {
      case 'GET':
        at.get(handlers);
        break;
      case 'POST':
        at.post(handlers);
        break;
      case 'PUT':
        at.put(handlers);
        break;
      case 'DELETE':
        at.delete(handlers);
        break;
    }
  }
  const methods = routes.map(({ endpoint: { method } }) => method);
  at.all(refuseMethod(context, [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']));
};

/** Mounts `routes` and the paths that are WebSockets, and answers everything else with an error in JSON. */
export const mountRoutes = (
  app: Application,
  routes: readonly Route[],
  socketPaths: readonly string[],
  context: Context,
): void => {
  const { exchanges, guard, requests } = context;
  const mounting: Mounting = { ...context, clients: new WeakMap() };
  app.use((request, response, next) => {
    // Nothing is kept of an answer that could be compared: express would answer 304 to `*`.
    delete request.headers['if-none-match'];
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader(REQUEST_ID, exchanges.idOf(request));
    const answered = exchanges.begin(request);
    response.once('close', () =>
      answered({
        operation: operationOf(request),
        status: response.writableFinished ? response.statusCode : 'aborted',
      }),
    );
    const place = guard.checkPlace(request);
    if (requests.closing) refuseLate(context, response);
    else if (E.isLeft(place)) sendError(context, response, place.left);
    else next();
  });
  app.use(cors, (request, response, next) => {
    const client = guard.identify(request);
    if (E.isLeft(client)) {
      sendError(context, response, client.left);
      return;
    }
    mounting.clients.set(request, client.right);
    next();
  });
  for (const [path, group] of byPath(routes)) mountPath(app, path, group, mounting);
  const reading = authorized('read', mounting);
  for (const path of socketPaths) {
    app.get(path, reading, (_request, response) =>
      sendError(context, response, { _tag: 'UpgradeRequired', path }),
    );
    app.all(path, refuseMethod(context, ['GET', 'HEAD', 'OPTIONS']));
  }
  app.use(reading, (request, response) =>
    sendError(context, response, { _tag: 'UnknownRoute', path: request.path }),
  );
  app.use((thrown: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) next(thrown);
    else sendError(context, response, thrownError(thrown, request, context));
  });
};
