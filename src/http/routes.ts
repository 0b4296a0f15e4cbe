/** A table of routes, mounted on express so that everything it does not answer is answered in JSON too. */
import type { Application, NextFunction, Request, Response } from 'express';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import { jsonBody, MAX_BODY, readBody } from './body.js';
import { queryOf, parseError } from '../codecs/index.js';
import { mediaType, type Access, type RawRequest } from '../contract/index.js';
import type { Connections } from './connections.js';
import { cors } from './cors.js';
import { internalError, shuttingDown, type ServerError } from './errors.js';
import { OTHER, type Exchanges } from './exchanges.js';
import { authorize, type Client, type Guard } from './guard.js';
import { COMMON, headOf, typed, type Head } from './head.js';
import { endAfterOtherUpgrade } from './other-upgrades.js';
import { findPath, type Params } from './paths.js';
import { REQUEST_ID } from './request-ids.js';
import type { Route } from './route.js';

interface Context {
  readonly connections: Connections;
  readonly exchanges: Exchanges;
  readonly guard: Guard;
  readonly log: Logger;
}

/** A request and what answers it. */
interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** The path of the row that it came to. */
  operation: string;
  /** For what is thrown. */
  readonly next: NextFunction;
}

/** What is done for a method of a path. */
interface Method {
  readonly access: Access;
  readonly answer: (exchange: Exchange, params: Params) => void;
}

/** A path, with all methods that it answers. */
interface Place {
  readonly path: string;
  readonly methods: ReadonlyMap<string, Method>;
  /** As `Allow` says them. */
  readonly allowed: readonly string[];
}

const COMMON_HEAD = headOf(COMMON);
const ERROR_HEAD = headOf(COMMON, typed('application/json'));

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Express would set header by header, and find out what is known of each answer. */
const send = (response: Response, status: number, head: Head, body: string | Buffer): void => {
  response.writeHead(status, [...head, 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(body);
};

const sendError = ({ exchanges }: Context, exchange: Exchange, error: ServerError): void => {
  const { request, response, operation } = exchange;
  const { status, headers, body } = exchanges.failed(request, operation, error);
  // Beside a Connection header Node does not write that it closes, and then it does not close.
  const closing = 'Connection' in headers && !response.shouldKeepAlive ? ['Connection', 'close'] : [];
  send(response, status, [...ERROR_HEAD, ...headOf(headers), ...closing], JSON.stringify(body));
};

/** For requests that arrive, or are complete, only while the server ends. */
const refuseLate = (context: Context, exchange: Exchange): void => {
  exchange.response.set('Connection', 'close');
  sendError(context, exchange, shuttingDown);
};

/** What a body that is left out counts as. */
const noBody = {
  required: E.left(parseError('the body is missing: it must be a JSON object')),
  optional: E.right({}),
} satisfies Readonly<Record<string, E.Either<ServerError, unknown>>>;

const rawRequest = (
  { endpoint: { bodyIs } }: Route,
  request: Request,
  params: Params,
): E.Either<ServerError, RawRequest> => {
  const query = queryOf(request.originalUrl);
  if (bodyIs === 'ignored') return E.right({ params, query, body: undefined });
  return pipe(
    jsonBody(request.body, request.headers['content-type'], noBody[bodyIs]),
    E.map((body) => ({ params, query, body })),
  );
};

const serve = async (
  route: Route,
  head: Head,
  context: Context,
  exchange: Exchange,
  params: Params,
): Promise<void> => {
  const { connections, exchanges, log } = context;
  const { request, response } = exchange;
  if (connections.closing) {
    refuseLate(context, exchange);
    return;
  }
  const begun = connections.begin(request.socket);
  // Its client has disconnected while its body was read and unpacked.
  if (begun === undefined) return;
  const { signal, finished } = begun;
  response.on('close', finished);
  try {
    const raw = rawRequest(route, request, params);
    const run = E.isLeft(raw) ? raw : route.answer(raw.right);
    const outcome = E.isLeft(run) ? run : await run.right(signal)();
    if (response.destroyed) return;
    if (E.isLeft(outcome)) {
      sendError(context, exchange, outcome.left);
      return;
    }
    const { right: given } = outcome;
    const body = Buffer.isBuffer(given) ? given : JSON.stringify(given);
    send(response, 200, [...head, REQUEST_ID, exchanges.idOf(request)], body);
  } catch (defect) {
    const { method, path } = request;
    log.error({ request_id: exchanges.idOf(request), err: defect, method, path }, 'a request failed');
    if (!response.destroyed) sendError(context, exchange, internalError);
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
  if (property(thrown, 'status') === 400) return parseError('the body cannot be read', 'malformed_request');
  log.error({ request_id: exchanges.idOf(request), err: thrown }, 'a request failed');
  return internalError;
};

const methodOf = (route: Route, context: Context): Method => {
  const { access, bodyIs, headers } = route.endpoint;
  const head = headOf(COMMON, typed(mediaType(route.endpoint)), headers);
  const answer: Method['answer'] = (exchange, params) => {
    serve(route, head, context, exchange, params).catch(exchange.next);
  };
  return {
    access,
    answer:
      bodyIs === 'ignored'
        ? answer
        : (exchange, params) =>
            readBody(exchange.request, exchange.response, (thrown?: unknown) => {
              if (thrown === undefined) answer(exchange, params);
              else sendError(context, exchange, thrownError(thrown, exchange.request, context));
            }),
  };
};

const placeOf = (path: string, methods: ReadonlyMap<string, Method>): Place => ({
  path,
  methods,
  allowed: [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'],
});

const placesOf = (
  routes: readonly Route[],
  socketPaths: readonly string[],
  context: Context,
): ReadonlyMap<string, Place> => {
  const methods = new Map<string, Map<string, Method>>();
  for (const route of routes) {
    const { path, method } = route.endpoint;
    methods.set(path, (methods.get(path) ?? new Map<string, Method>()).set(method, methodOf(route, context)));
  }
  for (const path of socketPaths) {
    const answer: Method['answer'] = (exchange) =>
      sendError(context, exchange, { _tag: 'UpgradeRequired', path });
    methods.set(path, new Map([['GET', { access: 'read', answer }]]));
  }
  return new Map([...methods].map(([path, table]) => [path, placeOf(path, table)]));
};

const refuseMethod = (context: Context, exchange: Exchange, allowed: readonly string[]): void => {
  const { request, response } = exchange;
  const { method, path } = request;
  if (method === 'OPTIONS') {
    const head = [...COMMON_HEAD, REQUEST_ID, context.exchanges.idOf(request), 'Allow', allowed.join(', ')];
    response.writeHead(204, head).end();
  } else {
    sendError(context, exchange, { _tag: 'MethodNotAllowed', method, path, allowed });
  }
};

/** Mounts `routes` and the paths that are WebSockets, and answers everything else with an error in JSON. */
export const mountRoutes = (
  app: Application,
  routes: readonly Route[],
  socketPaths: readonly string[],
  context: Context,
): void => {
  const { connections, exchanges, guard } = context;
  const find = findPath(placesOf(routes, socketPaths, context));

  /** Answers those who may ask for what needs `access`. */
  const authorized = (exchange: Exchange, client: Client, access: Access, answer: () => void): void => {
    const allowed = authorize(client, access);
    if (E.isLeft(allowed)) sendError(context, exchange, allowed.left);
    else answer();
  };

  const route = (exchange: Exchange, client: Client): void => {
    const { path, method } = exchange.request;
    const found = find(path);
    if (E.isLeft(found)) {
      sendError(context, exchange, found.left);
      return;
    }
    if (found.right === undefined) {
      authorized(exchange, client, 'read', () =>
        sendError(context, exchange, { _tag: 'UnknownRoute', path }),
      );
      return;
    }
    const { place, params } = found.right;
    exchange.operation = place.path;
    const asked = place.methods.get(method === 'HEAD' ? 'GET' : method);
    if (asked === undefined) refuseMethod(context, exchange, place.allowed);
    else authorized(exchange, client, asked.access, () => asked.answer(exchange, params));
  };

  const identify = async (exchange: Exchange): Promise<void> => {
    const client = await guard.identify(exchange.request)();
    if (E.isLeft(client)) sendError(context, exchange, client.left);
    else route(exchange, client.right);
  };

  app.use((request, response, next) => {
    const exchange: Exchange = { request, response, operation: OTHER, next };
    endAfterOtherUpgrade(request, response);
    const answered = exchanges.begin(request);
    response.on('close', () =>
      answered({
        operation: exchange.operation,
        status: response.writableFinished ? response.statusCode : 'aborted',
      }),
    );
    const place = guard.checkPlace(request);
    if (connections.closing) refuseLate(context, exchange);
    else if (E.isLeft(place)) sendError(context, exchange, place.left);
    else {
      // A preflight is answered right there.
      if (request.headers.origin !== undefined) response.set(COMMON).set(REQUEST_ID, exchanges.idOf(request));
      cors(request, response, () => void identify(exchange).catch(next));
    }
  });
  app.use((thrown: unknown, request: Request, response: Response, next: NextFunction) => {
    const exchange: Exchange = { request, response, operation: OTHER, next };
    if (response.headersSent) next(thrown);
    else sendError(context, exchange, thrownError(thrown, request, context));
  });
};
