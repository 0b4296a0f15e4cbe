/** A row for each WebSocket, and the common part of all events. */
import type { Either } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import {
  about,
  anyInteger,
  both,
  decode,
  integerInText,
  named,
  nullable,
  object,
  objectWith,
  queryFields,
  text,
  type AnyCodec,
  type Fields,
  type ParseError,
} from '../codecs/index.js';
import type { AnyCommand } from './command.js';
import type { FailureCode } from './failures.js';

interface SocketOptions<Q extends Fields> {
  readonly path: string;
  readonly summary: string;
  /** Each may be left out. */
  readonly query: Q;
  /** The messages of a client. */
  readonly commands?: Readonly<Record<string, AnyCommand>>;
  /** The answer to a command that fails. */
  readonly errors?: readonly AnyCodec[];
  /** The messages that the server sends unasked. */
  readonly events: readonly AnyCodec[];
  /** The codes that an upgrade may be refused with, beside the ones of all upgrades. */
  readonly fails?: readonly FailureCode[];
}

export interface Socket<Input> extends Required<SocketOptions<Fields>> {
  readonly read: (query: URLSearchParams) => Either<ParseError, Input>;
}

export const socket = <Q extends Fields>({
  commands = {},
  errors = [],
  fails = [],
  ...row
}: SocketOptions<Q>): Socket<t.TypeOf<t.PartialC<Q>>> => {
  const readQuery = decode(objectWith({}, row.query), 'the query');
  return {
    ...row,
    commands,
    errors,
    fails,
    read: (query) => readQuery(queryFields(row.query, query)),
  };
};

/** The additions of `?detail=full` to every event: its time (ISO 8601, UTC), and its position. */
export const stamp = {
  time: about('When it happened, ISO 8601, UTC', text),
  seq: about('The sequence number: one more than the previous event of any device of the server', anyInteger),
  instance: about('The id of the run of the server: numbers begin again with each', text),
};

/** Events that a client cannot be sent any more: the first and the last; nobody knows the last after a restart. */
export const missed = {
  from: about('The number of the first that is missing', anyInteger),
  to: about('The number of the last; null after a restart, when nobody knows it', nullable(anyInteger)),
};

/** The query of a client that comes back: the position of the last event that it has; the next one has a number too. */
export const resuming = {
  since: about(
    'The `seq` of the last event that the client has: it is sent those after it first',
    integerInText(0, Number.MAX_SAFE_INTEGER - 1),
  ),
  instance: about('The `instance` of that event', text),
};

/** An event as `?detail=full` has it: with its stamp, and the fields that say what it is `of`. */
export const detailed = <E extends AnyCodec, F extends Fields>(event: E, of: F) =>
  named(
    'detailed_event',
    'With `detail=full`: an event, and where it is from',
    both(
      event,
      named(
        'Origin',
        '`seq` rises by one with every event of the server, `instance` is another one after each start of it',
        object({ ...of, ...stamp }),
      ),
      `${event.name} in full`,
    ),
  );
