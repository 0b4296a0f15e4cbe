/** The WebSocket: requests in, each answered when it is done, and events out. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { decode, parseJson } from '../codecs/index.js';
import { readName } from '../contract/index.js';
import {
  authorize,
  bindRows,
  errorReply,
  fromDeviceError,
  internalError,
  jsonMessage,
  shuttingDown,
  socketRoute,
  type Broadcast,
  type Connection,
  type Handlers,
  type Position,
  type ServerError,
  type SocketListener,
  type SocketRoute,
} from '../http/index.js';
import { NO_COMMAND, type Metrics } from '../metrics/index.js';
import type { TimeSource } from '../async/time.js';
import type { Pieces } from './audio/pieces.js';
import type { Caller } from './commands.js';
import { commands, DetailedError, RequestId, stream, type CommandName, type Commands } from './contract.js';
import type { Events } from './events.js';

/** Commands under way on one connection, and scans among them. */
const MAX_PENDING = 256;
const MAX_SCANS = 8;

/** The id of answers to what cannot be read. */
const NO_ID = 0;

const tooMany = (what: string, limit: number): ServerError => ({
  _tag: 'TooManyRequests',
  message: `too many ${what} at once: a connection may have ${limit} under way`,
  retryAfterSecs: 1,
});

export interface Stream {
  /** How many sockets are open. */
  readonly listeners: number;
  readonly route: SocketRoute;
  /** Aborts waiting requests, refuses new ones, and resolves when all have a response. */
  readonly drain: Task<void>;
}

interface Failed {
  readonly id: number;
  /** If that can be read. */
  readonly name: CommandName | typeof NO_COMMAND;
  readonly error: ServerError;
}

interface Request {
  readonly id: number;
  readonly name: CommandName;
  readonly run: (caller: Caller) => TE.TaskEither<ServerError, Json>;
}

const readId = decode(RequestId, 'the request');
const readCommand = readName(commands);

const readRequest = (
  handlers: Handlers<Commands, Caller, DeviceError>,
): ((
  text: string,
  client: Connection['client'],
  allowed: E.Either<ServerError, void>,
) => E.Either<Failed, Request>) => {
  const bound = bindRows<Commands, unknown, Caller, DeviceError, Json>(commands, handlers, fromDeviceError);
  const failed = (
    error: ServerError,
    id = NO_ID,
    name: Failed['name'] = NO_COMMAND,
  ): E.Either<Failed, never> => E.left({ id, name, error });
  return (text, client, allowed) => {
    const json = parseJson(text, 'the request');
    const request = pipe(json, E.chain(readId));
    if (E.isLeft(allowed)) return failed(allowed.left, E.isRight(request) ? request.right.id : NO_ID);
    if (E.isLeft(json)) return failed(json.left);
    if (E.isLeft(request)) return failed(request.left);
    const { id } = request.right;
    const command = readCommand(json.right);
    if (E.isLeft(command)) return failed(command.left, id);
    const name = command.right;
    const authorized = authorize(client, commands[name].access);
    if (E.isLeft(authorized)) return failed(authorized.left, id, name);
    const run = bound(name)(json.right);
    return E.isLeft(run) ? failed(run.left, id, name) : E.right({ id, name, run: run.right });
  };
};

const errorAnswer = (id: number, error: ServerError, full: boolean): Json => {
  const { error: sentence, code } = errorReply(error).body;
  const answer = { id, result: null, error: sentence };
  return full ? DetailedError.encode({ ...answer, code }) : answer;
};

export interface StreamOptions {
  readonly handlers: Handlers<Commands, Caller, DeviceError>;
  readonly events: Events;
  readonly broadcast: Broadcast;
  /** Whether a clock can be subscribed to; Left `NotConnected`. */
  readonly checkClock: (address: Address) => E.Either<DeviceError, void>;
  readonly openPieces: () => Pieces;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** What a client asks for when it opens its connection. */
interface Opening {
  readonly full: boolean;
  readonly addresses: readonly Address[];
  /** The last event that it has, if it comes back. */
  readonly position: Position | undefined;
}

export const openStream = ({
  handlers,
  events,
  broadcast,
  checkClock,
  openPieces,
  time,
  log,
  metrics,
}: StreamOptions): Stream => {
  /** Each with what gives its commands up. */
  const connections = new Map<Connection, AbortController>();
  let closing = false;
  const running = new Set<Promise<void>>();
  const read = readRequest(handlers);
  const succeeded = metrics.tally(metrics.commands, (command) => ({ command, result: 'ok' }));
  const took = metrics.observer(metrics.commandSeconds, (command) => ({ command }));

  const open = (connection: Connection, { full, addresses, position }: Opening): SocketListener => {
    const receiver = { connection, full };
    const controller = new AbortController();
    const { signal } = controller;
    const pieces = openPieces();
    let pending = 0;
    let scans = 0;
    connections.set(connection, controller);
    const tellBatteries = addresses.map((address) => events.subscribe(address, receiver));
    if (position !== undefined) {
      broadcast.resume(receiver, position, (address) => events.isSubscribed(address, receiver));
    }
    for (const tell of tellBatteries) tell();

    const fail = ({ id, name }: Pick<Failed, 'id' | 'name'>, error: ServerError): void => {
      metrics.commands.inc({ command: name, result: errorReply(error).body.code });
      connection.send(jsonMessage(errorAnswer(id, error, full)));
    };

    const execute = async (request: Request): Promise<void> => {
      const { id, name, run } = request;
      const began = time.now();
      const later: (() => void)[] = [];
      const caller: Caller = { receiver, pieces, signal, afterwards: (task) => void later.push(task) };
      const scanning = name === 'scan' ? 1 : 0;
      pending += 1;
      scans += scanning;
      metrics.commandsPending.inc();
      try {
        const outcome = await run(caller)();
        if (E.isLeft(outcome)) {
          fail(request, outcome.left);
        } else {
          succeeded(name);
          connection.send(jsonMessage({ id, result: outcome.right, error: null }));
        }
        for (const task of later) task();
      } catch (defect) {
        log.error({ err: defect, command: name }, 'a command failed');
        fail(request, internalError);
      } finally {
        pending -= 1;
        scans -= scanning;
        metrics.commandsPending.dec();
        took(name, (time.now() - began) / 1000);
      }
    };

    const refusal = (name: CommandName): ServerError | undefined => {
      if (closing) return shuttingDown;
      if (pending >= MAX_PENDING) return tooMany('commands', MAX_PENDING);
      return name === 'scan' && scans >= MAX_SCANS ? tooMany('scans', MAX_SCANS) : undefined;
    };

    return {
      message: (text, allowed) => {
        const request = read(text, connection.client, allowed);
        if (E.isLeft(request)) {
          fail(request.left, request.left.error);
          return;
        }
        const refused = refusal(request.right.name);
        if (refused !== undefined) {
          fail(request.right, refused);
          return;
        }
        const work = execute(request.right);
        running.add(work);
        void work.then(() => running.delete(work));
      },
      closed: () => {
        connections.delete(connection);
        events.leave(receiver);
        pieces.close();
        controller.abort();
      },
    };
  };

  return {
    get listeners() {
      return connections.size;
    },
    route: socketRoute(stream, ({ detail, address: addresses = [], ...query }) =>
      pipe(
        broadcast.position(query),
        E.chainW((position) => {
          const opening = { full: detail === 'full' || position !== undefined, addresses, position };
          // Who comes back may name a clock that is lost or was disconnected meanwhile.
          return pipe(
            position === undefined ? addresses : [],
            E.traverseArray(checkClock),
            E.bimap(fromDeviceError, () => (connection: Connection) => open(connection, opening)),
          );
        }),
      ),
    ),
    drain: async () => {
      closing = true;
      for (const controller of connections.values()) controller.abort();
      await Promise.all(running);
    },
  };
};
