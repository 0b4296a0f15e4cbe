/** The routes of a server, as values. */
import * as E from 'fp-ts/lib/Either.js';
import { identity, pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import {
  keysOf,
  type AnyEndpoint,
  type Endpoint,
  type Endpoints,
  type OperationTypes,
  type RawRequest,
  type TypeTable,
  type Socket,
} from '../contract/index.js';
import { bindOperations, type BoundOperation, type Handlers, type ServerError } from '../operations/index.js';
import type { HttpClient } from './guard.js';

/** The largest size of a request body or a WebSocket message, bytes. */
export const MAX_BODY = 64 * 1024;

/** The content coding in which a handler gives a file. */
export type Coding = 'identity' | 'gzip';

export interface Route {
  readonly endpoint: AnyEndpoint;
  readonly operation: BoundOperation<RawRequest>;
  /** `identity` if left out. */
  readonly coding?: Coding;
}

/** The routes of a table of endpoints; `toServerError` turns failures of handlers into errors of the server. */
export const routesOf = <S extends TypeTable, Failure>(
  endpoints: Endpoints<S>,
  handlers: Handlers<S, Failure>,
  toServerError: (failure: Failure) => ServerError,
): readonly Route[] => {
  const operations = bindOperations(endpoints, handlers, toServerError);
  const routeOf = (name: keyof S): Route => ({ endpoint: endpoints[name], operation: operations[name] });
  return keysOf(endpoints).map(routeOf);
};

/** The routes of handlers that fail with errors of the server. */
export const serverRoutes = <S extends TypeTable>(
  endpoints: Endpoints<S>,
  handlers: Handlers<S, ServerError>,
): readonly Route[] => routesOf(endpoints, handlers, identity);

/** The route of an endpoint that answers with a file, which `read` gives in `coding`. */
export const fileRoute = (
  file: Endpoint<unknown, Buffer>,
  read: () => Buffer,
  coding: Coding = 'identity',
): readonly Route[] =>
  serverRoutes<{ readonly file: OperationTypes<unknown, Buffer> }>(
    { file },
    { file: () => TE.right(read()) },
  ).map((route) => ({ ...route, coding }));

export interface Connection {
  readonly client: HttpClient;
  /** Sends immediately, or closes a client that reads too slowly. Calls `written` when the system has the message. */
  readonly send: (text: string, written?: () => void) => void;
}

export interface SocketListener {
  /** Takes a message of at most 64 KiB. */
  readonly message: (text: string) => void;
  /** Called once, after all messages. */
  readonly closed: () => void;
}

export interface SocketRoute {
  readonly socket: Socket<unknown>;
  /** Decides on an upgrade: Left refuses it with an error, Right takes the open connection. */
  readonly accept: (
    query: URLSearchParams,
  ) => E.Either<ServerError, (connection: Connection) => SocketListener>;
}

/** The route of a WebSocket. `accept` gets the decoded query. */
export const socketRoute = <Input>(
  socket: Socket<Input>,
  accept: (input: Input) => E.Either<ServerError, (connection: Connection) => SocketListener>,
): SocketRoute => ({
  socket,
  accept: (query) => pipe(socket.read(query), E.chainW(accept)),
});
