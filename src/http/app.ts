/** The middleware of Express, in order: it logs a request, guards it, and answers by its route or with an error in JSON. */
import corsOf from 'cors';
import express, { type Request, type Router } from 'express';
import helmet from 'helmet';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import type { Connections } from './connections.js';
import { unknownRoute, type HttpError } from './errors.js';
import { OTHER, REQUEST_ID, type Exchanges } from './exchanges.js';
import { failure, openSlots, shuttingDown, type Executor } from '../operations/index.js';
import type { Guard } from './guard.js';
import { refusals, type Handler } from './refusals.js';
import type { Route } from './route.js';
import { allow, mountRoutes, mountSockets } from './routes.js';

export interface AppContext {
  readonly connections: Connections;
  readonly exchanges: Exchanges;
  readonly executor: Executor;
  readonly guard: Guard;
  readonly log: Logger;
}

/**
 * The usual security headers, without the headers that do harm or have no effect on plain HTTP in a local network
 * (HSTS, COOP, Origin-Agent-Cluster). An answer may load nothing; a page has its own policy.
 */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xPoweredBy: false,
});

/** How long a browser may remember an answer to a preflight, seconds. */
const MAX_AGE_SECS = 600;

const corsHeaders = corsOf({
  origin: true,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
  exposedHeaders: ['Allow', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  maxAge: MAX_AGE_SECS,
});

/** The headers that let a page of another, allowed origin read the answer. */
const cors: Handler = (request, response, next) => {
  const { origin, 'access-control-request-method': preflight } = request.headers;
  // An OPTIONS request without this header is not a preflight: the route itself answers.
  if (origin === undefined || (request.method === 'OPTIONS' && preflight === undefined)) next();
  else corsHeaders(request, response, next);
};

const noProxy = failure('malformed_request', 'this server is no proxy: it does not answer CONNECT');

/** Answers `routes`; the paths `socketPaths` are WebSockets. */
export const routerOf = (
  routes: readonly Route[],
  socketPaths: readonly string[],
  { connections, exchanges, executor, guard, log }: AppContext,
): Router => {
  const answers = refusals(exchanges, log);
  const { refuse, passing, failed } = answers;
  const context = { connections, executor, refusals: answers, log, takeSlot: openSlots() };

  const noted: Handler = (request, response, next) => {
    const answered = exchanges.begin(request);
    response.on('close', () =>
      answered({
        operation: response.locals.operation ?? OTHER,
        status: response.writableFinished ? response.statusCode : 'aborted',
      }),
    );
    response.set({ [REQUEST_ID]: exchanges.idOf(request), 'Cache-Control': 'no-store' });
    next();
  };

  /** Express would answer `If-None-Match: *` with 304, though no answer has a validator to compare with. */
  const unconditional: Handler = (request, _response, next) => {
    delete request.headers['if-none-match'];
    next();
  };

  /** Node may discard bytes behind an ignored upgrade or CONNECT, so the connection ends after the answer. */
  const ending: Handler = ({ method, headers }, response, next) => {
    if (executor.closing || headers.upgrade !== undefined || method === 'CONNECT')
      response.shouldKeepAlive = false;
    next();
  };

  const answerable = ({ method }: Pick<Request, 'method'>): E.Either<HttpError, void> => {
    if (method === 'CONNECT') return E.left(noProxy);
    return executor.closing ? E.left(shuttingDown) : E.right(undefined);
  };

  const identified: Handler = (request, response, next) => {
    response.locals.client = guard.identify(request);
    next();
  };

  const unknown: Handler = (request, response) => refuse(request, response, unknownRoute(request.path));

  const isCounted = ({ endpoint }: Route): boolean => endpoint.counted;

  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(noted, unconditional, securityHeaders, ending);
  router.use(passing(answerable), passing(guard.checkOrigin), cors, identified);
  mountRoutes(
    router,
    routes.filter((route) => !isCounted(route)),
    context,
  );
  router.use(passing((_request, client) => executor.count(client)));
  mountRoutes(router, routes.filter(isCounted), context);
  mountSockets(router, socketPaths, context);
  router.use(allow('read', answers), unknown);
  router.use(failed);
  return router;
};
