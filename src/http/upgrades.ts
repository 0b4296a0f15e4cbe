/** Upgrades to WebSockets: each is judged before there is one, and answered as a request where it is refused. */
import type { IncomingMessage } from 'node:http';
import type expressWs from 'express-ws';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { queryOf } from '../codecs/index.js';
import { authorize, internalError, shuttingDown } from '../operations/index.js';
import type { AppContext } from './app.js';
import { MAX_BODY } from './body.js';
import type { HttpError } from './errors.js';
import { OTHER, pathIn, type ErrorAnswer } from './exchanges.js';
import { subprotocolOf, type HttpClient } from './guard.js';
import type { Connection, SocketListener, SocketRoute } from './route.js';

const SWITCHING_PROTOCOLS = 101;

/** An upgrade that was accepted. */
export interface Accepted {
  readonly client: HttpClient;
  /** Of its row. */
  readonly path: string;
  readonly open: (connection: Connection) => SocketListener;
}

export interface Upgrades {
  readonly options: NonNullable<expressWs.Options['wsOptions']>;
  /** The answer to an upgrade that is refused. */
  readonly refused: (request: IncomingMessage, error: HttpError) => ErrorAnswer;
  readonly acceptedOf: (request: IncomingMessage) => Accepted | undefined;
}

export interface UpgradesOptions extends AppContext {
  readonly routes: readonly SocketRoute[];
  /** Left: no other WebSocket of `client` may be opened now. */
  readonly checkRoom: (client: HttpClient) => E.Either<HttpError, void>;
}

export const openUpgrades = ({
  routes,
  guard,
  log,
  exchanges,
  executor,
  connections,
  checkRoom,
}: UpgradesOptions): Upgrades => {
  const accepted = new WeakMap<IncomingMessage, Accepted>();

  const routeOf = (path: string): SocketRoute | undefined =>
    routes.find((candidate) => candidate.socket.path === path);

  const judge = (client: HttpClient, request: IncomingMessage): E.Either<HttpError, Accepted> => {
    if (executor.closing) return E.left(shuttingDown);
    const path = pathIn(request);
    const route = routeOf(path);
    return pipe(
      executor.count(client),
      E.chain(() => authorize(client, 'read')),
      E.chainW(() => checkRoom(client)),
      E.chainW((): ReturnType<SocketRoute['accept']> | E.Either<HttpError, never> =>
        route === undefined
          ? E.left({ _tag: 'UnknownRoute', path })
          : route.accept(queryOf(request.url ?? '')),
      ),
      E.map((open) => ({ client, path, open })),
    );
  };

  const judged = (request: IncomingMessage): E.Either<HttpError, Accepted> => {
    try {
      return pipe(
        guard.checkOrigin(request),
        E.chain(() => judge(guard.identify(request), request)),
      );
    } catch (defect) {
      log.error({ err: defect, request_id: exchanges.idOf(request) }, 'an upgrade failed');
      return E.left(internalError);
    }
  };

  const refused: Upgrades['refused'] = (request, error) => {
    const operation = routeOf(pathIn(request))?.socket.path ?? OTHER;
    const answer = exchanges.failed(request, operation, error);
    exchanges.begin(request)({ operation, status: answer.status });
    return answer;
  };

  return {
    options: {
      maxPayload: MAX_BODY,
      perMessageDeflate: false,
      handleProtocols: subprotocolOf,
      // One event at a time, so that much that is sent at once leaves time for others.
      allowSynchronousEvents: false,
      verifyClient: ({ req }, decided) =>
        connections.inTurn(req, req.socket, () => {
          const upgrade = judged(req);
          if (E.isLeft(upgrade)) {
            const { status, headers, body } = refused(req, upgrade.left);
            decided(false, status, JSON.stringify(body), { ...headers, 'Content-Type': 'application/json' });
            return;
          }
          exchanges.begin(req)({ operation: upgrade.right.path, status: SWITCHING_PROTOCOLS });
          accepted.set(req, upgrade.right);
          decided(true);
        }),
    },
    refused,
    acceptedOf: (request) => accepted.get(request),
  };
};
