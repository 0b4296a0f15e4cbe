/** What a server answers, as values; who mounts them is their own business. */
import type * as E from 'fp-ts/lib/Either.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { ServerError } from './errors.js';

export interface ApiRequest {
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What the JSON body holds, still to be decoded; undefined on routes that read none. */
  readonly body: unknown;
  /** Aborted when the client has gone or the server shuts down: what waits must then give up. */
  readonly signal: AbortSignal;
}

interface Path {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As express writes it: `/api/battery/:session_id`. */
  readonly path: string;
}

export interface JsonRoute extends Path {
  /** A `required` body must be a JSON value, an `optional` one may be left out; an `ignored` one is read past. */
  readonly body: 'required' | 'optional' | 'ignored';
  readonly handler: (request: ApiRequest) => TE.TaskEither<ServerError, Json>;
}

/** A route that answers bytes of another type than JSON. */
export interface FileRoute extends Path {
  readonly type: string;
  readonly file: (request: ApiRequest) => TE.TaskEither<ServerError, Buffer>;
}

export type Route = JsonRoute | FileRoute;

/** A text message, serialised once for however many sockets get it. */
export type Message = Buffer;

export const jsonMessage = (value: Json): Message => Buffer.from(JSON.stringify(value));

export interface Connection {
  /** Sends at once or, to a client that reads too slowly, not at all: that one is closed. */
  readonly send: (message: Message) => void;
}

export interface SocketListener {
  /** A message of at most 64 KiB. */
  readonly message: (text: string) => void;
  /** Called once, last. */
  readonly closed: () => void;
}

export interface SocketRoute {
  readonly path: string;
  /** Judges an upgrade: Left refuses it with that error, Right says what to do once it is open. */
  readonly accept: (
    query: URLSearchParams,
  ) => E.Either<ServerError, (connection: Connection) => SocketListener>;
}
