/** What a server answers, as values; who mounts them is their own business. */
import * as E from 'fp-ts/lib/Either.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  keysOf,
  type AnyEndpoint,
  type Endpoints,
  type RawRequest,
  type Shapes,
  type Socket,
} from '../contract/index.js';
import type { ServerError } from './errors.js';
import type { Client } from './guard.js';
import { bindRows, type Bound, type Handlers } from './handlers.js';

export interface Route {
  readonly endpoint: AnyEndpoint;
  /** The signal is aborted when the client has gone or the server shuts down: what waits must then give up. */
  readonly answer: Bound<RawRequest, AbortSignal, Json | Buffer>;
}

/** The routes of a table of endpoints; `fold` turns the failures of handlers into those of the server. */
export const routesOf = <S extends Shapes, Failure>(
  endpoints: Endpoints<S>,
  handlers: Handlers<S, AbortSignal, Failure>,
  fold: (failure: Failure) => ServerError,
): readonly Route[] => {
  const bound = bindRows<S, RawRequest, AbortSignal, Failure, Json | Buffer>(endpoints, handlers, fold);
  const routeOf = (name: keyof S): Route => ({ endpoint: endpoints[name], answer: bound(name) });
  return keysOf(endpoints).map(routeOf);
};

/** A text message, serialised once for all sockets that get it. */
export type Message = Buffer;

export const jsonMessage = (value: Json): Message => Buffer.from(JSON.stringify(value));

export interface Connection {
  readonly client: Client;
  /**
   * Sends immediately; a client that reads too slowly is closed instead. Calls `written` when the system has the message.
   */
  readonly send: (message: Message, written?: () => void) => void;
}

export interface SocketListener {
  /** A message of at most 64 KiB. */
  readonly message: (text: string) => void;
  /** Called once, last. */
  readonly closed: () => void;
}

export interface SocketRoute {
  readonly socket: Socket<unknown>;
  /** Decides on an upgrade: Left refuses it with that error, Right says what to do once it is open. */
  readonly accept: (
    query: URLSearchParams,
  ) => E.Either<ServerError, (connection: Connection) => SocketListener>;
}

/** The route of a WebSocket. `accept` gets its query. */
export const socketRoute = <Given>(
  socket: Socket<Given>,
  accept: (given: Given) => E.Either<ServerError, (connection: Connection) => SocketListener>,
): SocketRoute => ({
  socket,
  accept: (query) => pipe(socket.read(query), E.chainW(accept)),
});
