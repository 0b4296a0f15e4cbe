/** The WebSocket: commands, each answered when it is done, and events. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { detached } from '../async/defects.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { parseJson, type ParseError } from '../codecs/index.js';
import { readRequest } from '../contract/index.js';
import { socketRoute, type Connection, type SocketListener } from '../http/index.js';
import {
  bindOperations,
  errorBody,
  fromDeviceError,
  openSlots,
  type Broadcast,
  type Executor,
  type Handlers,
  type Limit,
  type Outcome,
  type Position,
} from '../operations/index.js';
import type { Pieces } from './audio/pieces.js';
import type { CommandContext } from './commands.js';
import { commands, DetailedError, RequestId, stream, type CommandName, type Commands } from './contract.js';
import type { Events } from './events.js';

const limit = (noun: string, most: number): Limit => ({
  key: noun,
  most,
  message: `too many ${noun} at once: a connection may have ${most} under way`,
});
const COMMANDS = limit('commands', 256);
const SCANS = limit('scans', 8);

/** The id of answers to messages that cannot be read. */
const NO_ID = 0;

const readCommand = readRequest(commands);

/** The id for the answer to a request whose command cannot be read. */
const idIn = (json: E.Either<ParseError, Json>): number =>
  E.isRight(json) && RequestId.is(json.right) ? json.right.id : NO_ID;

export interface StreamOptions {
  readonly executor: Executor;
  readonly handlers: Handlers<Commands, DeviceError, CommandContext>;
  readonly events: Events;
  readonly broadcast: Broadcast;
  /** Left `NotConnected`: nobody can subscribe to the clock now. */
  readonly checkClock: (address: Address) => E.Either<DeviceError, void>;
  readonly openPieces: () => Pieces;
}

/** The options of a client that opens its connection. */
interface ConnectionOptions {
  readonly full: boolean;
  readonly addresses: readonly Address[];
  /** The position of its last event, if it comes back. */
  readonly position: Position | undefined;
}

const answerOf = (id: number, outcome: Outcome, full: boolean): Json => {
  if (E.isRight(outcome)) return { id, result: outcome.right as Json, error: null };
  const { error, code } = errorBody(outcome.left);
  const answer = { id, result: null, error };
  return full ? DetailedError.encode({ ...answer, code }) : answer;
};

export const openStream = (options: StreamOptions) => {
  const { executor, handlers, events, broadcast, checkClock, openPieces } = options;
  const operations = bindOperations<Commands, unknown, CommandContext, DeviceError>(
    commands,
    handlers,
    fromDeviceError,
  );
  let listeners = 0;

  const open = (connection: Connection, { full, addresses, position }: ConnectionOptions): SocketListener => {
    const receiver = { connection, full };
    const { signal, leave } = executor.join();
    const pieces = openPieces();
    const takeSlot = openSlots();
    listeners += 1;
    const sendBatteries = addresses.map((address) => events.subscribe(address, receiver));
    if (position !== undefined) {
      broadcast.resume(receiver, position, (address) => events.isSubscribed(address, receiver));
    }
    for (const send of sendBatteries) send();

    const callOf = (command: { readonly type: CommandName }, afterwards: CommandContext['afterwards']) => ({
      operation: operations[command.type],
      raw: E.right(command),
      context: { receiver, pieces, signal, afterwards },
      takeSlot: () => takeSlot(command.type === 'scan' ? [COMMANDS, SCANS] : [COMMANDS]),
    });

    return {
      message: (text) => {
        const json = parseJson(text, 'the request');
        const request = pipe(json, E.chain(readCommand));
        const id = E.isRight(request) ? request.right.id : idIn(json);
        const later: (() => void)[] = [];
        const call = pipe(
          request,
          E.map(({ command }) => callOf(command, (task) => void later.push(task))),
        );
        detached(
          executor.execute(connection.client, call, (outcome) => {
            connection.send(JSON.stringify(answerOf(id, outcome, full)));
            for (const task of later) task();
          }),
        );
      },
      closed: () => {
        listeners -= 1;
        events.leave(receiver);
        pieces.close();
        leave();
      },
    };
  };

  return {
    /** How many sockets are open. */
    get listeners(): number {
      return listeners;
    },
    route: socketRoute(stream, ({ detail, address: addresses = [], ...query }) =>
      pipe(
        broadcast.position(query),
        E.chainW((position) => {
          const chosen = { full: detail === 'full' || position !== undefined, addresses, position };
          // A client that comes back may name a clock that is lost or was disconnected meanwhile.
          return pipe(
            position === undefined ? addresses : [],
            E.traverseArray(checkClock),
            E.bimap(fromDeviceError, () => (connection: Connection) => open(connection, chosen)),
          );
        }),
      ),
    ),
  };
};
