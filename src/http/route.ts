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

const FINAL_TEXT = 0x81;
/** In place of a length: it follows in 16 or in 64 bits. */
const IN_16_BITS = 126;
const IN_64_BITS = 127;

/** `text` as a WebSocket server sends it: unmasked and whole (RFC 6455, 5.2). */
const frameOf = (text: string): Buffer => {
  const length = Buffer.byteLength(text);
  const header = length < IN_16_BITS ? 2 : length < 2 ** 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = FINAL_TEXT;
  if (header === 2) frame[1] = length;
  else if (header === 4) {
    frame[1] = IN_16_BITS;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = IN_64_BITS;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, header);
  return frame;
};

/** A text message, serialised and framed once for all that get it. */
export class Message {
  private framed: Buffer | undefined;

  constructor(readonly text: string) {}

  /** For a WebSocket. */
  get frame(): Buffer {
    return (this.framed ??= frameOf(this.text));
  }
}

export const jsonMessage = (value: Json): Message => new Message(JSON.stringify(value));

export interface Connection {
  readonly client: Client;
  /**
   * Sends immediately; a client that reads too slowly is closed instead. Calls `written` when the system has the message.
   */
  readonly send: (message: Message, written?: () => void) => void;
}

export interface SocketListener {
  /** A message of at most 64 KiB. `allowed`: Left if the client sends too many, and this one is to be refused. */
  readonly message: (text: string, allowed: E.Either<ServerError, void>) => void;
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
