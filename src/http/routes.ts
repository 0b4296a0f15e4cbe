/** Mounts routes on a router of Express: reads their bodies, and refuses the other methods of their paths. */
import { pipeline, Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import { cut, parseError, parseJson, queryOf } from '../codecs/index.js';
import {
  mediaType,
  streamedTypes,
  TextStream,
  type Access,
  type AnyEndpoint,
  type RawRequest,
} from '../contract/index.js';
import {
  authorize,
  failure,
  type Client,
  type Executor,
  type Outcome,
  type ServerError,
  type TakeSlot,
} from '../operations/index.js';
import { codeOf } from '../system/system-error.js';
import { MAX_AT_ONCE, type Connections } from './connections.js';
import { methodNotAllowed, upgradeRequired } from './errors.js';
import { REQUEST_ID } from './exchanges.js';
import type { Handler, Refusals } from './refusals.js';
import { MAX_BODY, type Route } from './route.js';

interface RoutesContext {
  readonly connections: Connections;
  readonly executor: Executor;
  readonly refusals: Refusals;
  readonly takeSlot: TakeSlot;
  readonly log: Logger;
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;
type Method = keyof typeof METHODS;

/** Reads the bytes of a body of any content type into `request.body`; unpacks gzip, deflate and br. */
const readBody: RequestHandler = express.raw({ type: () => true, limit: MAX_BODY });

const utf8 = new TextDecoder('utf-8', { fatal: true });

const checkContentType = (contentType: string | undefined): E.Either<ServerError, void> => {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') {
    const sent = contentType === undefined ? 'none' : `"${cut(contentType)}"`;
    return E.left(
      failure('unsupported_media_type', `the content type must be application/json, got ${sent}`),
    );
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset)
    ? E.right(undefined)
    : E.left(failure('unsupported_media_type', `JSON must be sent in UTF-8, got ${cut(charset)}`));
};

const decodeText = (bytes: Buffer): E.Either<ServerError, string> =>
  E.tryCatch(
    () => utf8.decode(bytes),
    () => parseError('the body is not valid UTF-8', 'invalid_json'),
  );

/**
 * The JSON value in `bytes`, or `missing` without bytes; Left for another content type or encoding, and for text that is
 * not JSON.
 */
const jsonBody = (
  bytes: unknown,
  contentType: string | undefined,
  missing: E.Either<ServerError, unknown>,
): E.Either<ServerError, unknown> =>
  Buffer.isBuffer(bytes) && bytes.length > 0
    ? pipe(
        checkContentType(contentType),
        E.chain(() => decodeText(bytes)),
        E.chainW((text) => parseJson(text, 'the body')),
      )
    : missing;

/** The value of a missing body. */
const noBody = {
  required: E.left(parseError('the body is missing: it must be a JSON object')),
  optional: E.right({}),
} satisfies Readonly<Record<string, E.Either<ServerError, unknown>>>;

const rawRequest = (
  { endpoint: { bodyIs } }: Route,
  { params, originalUrl, body, headers }: Parameters<Handler>[0],
): E.Either<ServerError, RawRequest> => {
  const query = queryOf(originalUrl);
  if (bodyIs === 'ignored') return E.right({ params, query, body: undefined });
  return pipe(
    jsonBody(body, headers['content-type'], noBody[bodyIs]),
    E.map((json) => ({ params, query, body: json })),
  );
};

/** Passes clients with the right `access`. */
export const allow = (access: Access, { passing }: Refusals): Handler =>
  passing((_request, client) => authorize(client, access));

/** The stream that the client prefers to JSON. */
const streamAccepted = (request: Request, streams: readonly string[]): string | undefined => {
  const sent = (type: string): string => `${type}; charset=utf-8`;
  const accepted = request.accepts(['application/json', ...streams].map(sent));
  return streams.find((type) => sent(type) === accepted);
};

/** Sends a text in pieces. A client that leaves ends the reading; a piece that `failed` breaks the answer off. */
const sendStream = (
  response: Response,
  { mediaType: type, pieces }: TextStream,
  failed: (thrown: unknown) => void,
): void => {
  response.type(type);
  if (response.req.method === 'HEAD') response.end();
  else
    pipeline(Readable.from(pieces), response, (thrown) => {
      if (thrown && codeOf(thrown) !== 'ERR_STREAM_PREMATURE_CLOSE') failed(thrown);
    });
};

/** Sends a file in gzip as it is, or unpacked to a client that does not accept gzip. */
const sendCompressed = (response: Response, file: Buffer): void => {
  response.vary('Accept-Encoding');
  if (response.req.acceptsEncodings('gzip') === false) response.send(gunzipSync(file));
  else response.set('Content-Encoding', 'gzip').send(file);
};

/** The most requests that read or change what the server remembers, at once. */
const MOST_ON_STORE = 4 * MAX_AT_ONCE;

const tooManyOnStore = (most: number, of: string): string =>
  `too many requests for the history at once: at most ${most} of ${of} are answered`;

/** Takes a slot until the answer, which may be a long stream, is sent. A client has enough slots for one connection. */
const storeSlot =
  (response: Response, { countedAs }: Client, takeSlot: TakeSlot) =>
  () =>
    pipe(
      takeSlot([
        { key: countedAs, most: MAX_AT_ONCE, message: tooManyOnStore(MAX_AT_ONCE, 'one client') },
        { key: '', most: MOST_ON_STORE, message: tooManyOnStore(MOST_ON_STORE, 'all clients') },
      ]),
      E.map((release) => {
        if (response.closed) release();
        else response.once('close', release);
        return () => undefined;
      }),
    );

const usesStore = ({ fails }: AnyEndpoint): boolean => fails.includes('history_unavailable');

const serve =
  (route: Route, { connections, executor, refusals: { refuse }, log, takeSlot }: RoutesContext): Handler =>
  async (request, response) => {
    const { client } = response.locals;
    const streams = streamedTypes(route.endpoint.response);
    const begun = connections.begin(request.socket);
    // The client has disconnected during the reading of the body.
    if (begun === undefined) return;
    if (executor.closing) response.set('Connection', 'close');
    const logged = { request_id: response.get(REQUEST_ID) };
    const call = {
      operation: route.operation,
      raw: rawRequest(route, request),
      context: { signal: begun.signal, accepted: streamAccepted(request, streams) },
      logged,
      ...(usesStore(route.endpoint) && { takeSlot: storeSlot(response, client, takeSlot) }),
    };
    const answer = (outcome: Outcome): void => {
      if (response.destroyed) return;
      if (E.isLeft(outcome)) {
        refuse(request, response, outcome.left);
        return;
      }
      if (streams.length > 0) response.vary('Accept');
      if (outcome.right instanceof TextStream) {
        sendStream(response, outcome.right, (thrown) =>
          log.error({ ...logged, err: thrown, operation: route.operation.name }, 'an answer broke off'),
        );
        return;
      }
      response.type(mediaType(route.endpoint)).set(route.endpoint.headers);
      if (route.coding === 'gzip' && Buffer.isBuffer(outcome.right)) sendCompressed(response, outcome.right);
      else if (Buffer.isBuffer(outcome.right)) response.send(outcome.right);
      else response.json(outcome.right);
    };
    await executor.run(client, call, answer).finally(begun.finished);
  };

const handlersOf = (route: Route, context: RoutesContext): readonly Handler[] => {
  const { access, bodyIs } = route.endpoint;
  const allowed = allow(access, context.refusals);
  const served = serve(route, context);
  return bodyIs === 'ignored' ? [allowed, served] : [allowed, readBody, served];
};

const mount = (
  router: Router,
  path: string,
  methods: ReadonlyMap<Method, readonly Handler[]>,
  { refuse }: Refusals,
): void => {
  const allowed = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
  const route = router.route(path);
  const named: Handler = (_request, response, next) => {
    response.locals.operation = path;
    next();
  };
  const refuseMethod: Handler = (request, response) =>
    refuse(request, response, methodNotAllowed(request.method, path, allowed));
  route.all(named);
  for (const [method, handlers] of methods) route[METHODS[method]](...handlers);
  route.options((_request, response) => void response.status(204).set('Allow', allowed.join(', ')).end());
  route.all(refuseMethod);
};

/** Lets `router` answer each of `routes`. */
export const mountRoutes = (router: Router, routes: readonly Route[], context: RoutesContext): void => {
  for (const path of new Set(routes.map(({ endpoint }) => endpoint.path))) {
    const methods = routes
      .filter(({ endpoint }) => endpoint.path === path)
      .map((route) => [route.endpoint.method, handlersOf(route, context)] as const);
    mount(router, path, new Map(methods), context.refusals);
  }
};

/** Lets `router` answer requests without an upgrade for the WebSockets at `paths`. */
export const mountSockets = (router: Router, paths: readonly string[], { refusals }: RoutesContext): void => {
  for (const path of paths) {
    const required: Handler = (request, response) =>
      refusals.refuse(request, response, upgradeRequired(path));
    mount(router, path, new Map([['GET', [allow('read', refusals), required]]]), refusals);
  }
};
