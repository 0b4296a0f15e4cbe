/** The middleware of Express, in order: note a request, guard it, and answer it by its route or with an error in JSON. */
import express, { type Router } from 'express';
import helmet from 'helmet';
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import { parseError } from '../codecs/index.js';
import type { Connections } from './connections.js';
import { unknownRoute } from './errors.js';
import { OTHER, REQUEST_ID, type Exchanges } from './exchanges.js';
import { shuttingDown, type Executor } from '../operations/index.js';
import { cors, type Guard } from './guard.js';
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
 * The usual headers of defence. Left out are those that do harm, or are not understood, on plain HTTP in a local network
 * (HSTS, COOP, Origin-Agent-Cluster). An answer is no page and may load nothing; a page has a policy of its own.
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

const noProxy = parseError('this server is no proxy: it does not answer CONNECT', 'malformed_request');

/** Answers `routes`; at `socketPaths` there are WebSockets. */
export const routerOf = (
  routes: readonly Route[],
  socketPaths: readonly string[],
  { connections, exchanges, executor, guard, log }: AppContext,
): Router => {
  const answers = refusals(exchanges, log);
  const { refuse, failed } = answers;
  const context = { connections, executor, refusals: answers };

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

  /** Node may drop unread what follows an ignored upgrade or CONNECT, so the connection ends. */
  const noTunnel: Handler = (request, response, next) => {
    const { method, headers } = request;
    if (headers.upgrade !== undefined || method === 'CONNECT') response.shouldKeepAlive = false;
    if (method === 'CONNECT') refuse(request, response, noProxy);
    else next();
  };

  const whileOpen: Handler = (request, response, next) => {
    if (!executor.closing) {
      next();
      return;
    }
    response.set('Connection', 'close');
    refuse(request, response, shuttingDown);
  };

  const fromAllowedOrigin: Handler = (request, response, next) => {
    const allowed = guard.checkOrigin(request);
    if (E.isLeft(allowed)) refuse(request, response, allowed.left);
    else next();
  };

  const identified: Handler = (request, response, next) => {
    response.locals.client = guard.identify(request);
    next();
  };

  const withinRate: Handler = (request, response, next) => {
    const counted = executor.count(response.locals.client);
    if (E.isLeft(counted)) refuse(request, response, counted.left);
    else next();
  };

  const unknown: Handler = (request, response) => refuse(request, response, unknownRoute(request.path));

  const isCounted = ({ endpoint }: Route): boolean => endpoint.counted;

  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(noted, unconditional, securityHeaders, noTunnel);
  router.use(whileOpen, fromAllowedOrigin, cors, identified);
  mountRoutes(
    router,
    routes.filter((route) => !isCounted(route)),
    context,
  );
  router.use(withinRate);
  mountRoutes(router, routes.filter(isCounted), context);
  mountSockets(router, socketPaths, context);
  router.use(allow('read', answers), unknown);
  router.use(failed);
  return router;
};
