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
  /** The fields of the query, each optional. */
  readonly query: Q;
  /** The messages of a client. */
  readonly commands?: Readonly<Record<string, AnyCommand>>;
  /** The answer to a command that fails. */
  readonly errors?: readonly AnyCodec[];
  /** The messages that the server sends without a request. */
  readonly events: readonly AnyCodec[];
  /** The error codes of an upgrade, beside the codes of all upgrades. */
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
  instance: about('The id of the run of the server: numbers begin again with each run', text),
};

/** Events that are lost to a client: the first and the last, which is not known after a restart. */
export const missed = {
  from: about('The number of the first missing event', anyInteger),
  to: about('The number of the last missing event; null: not known, after a restart', nullable(anyInteger)),
};

/** The query of a client that comes back: the position of the last event that it has, with a number left for the next event. */
export const resuming = {
  since: about(
    'The `seq` of the last event that the client has: the server sends the events after it first',
    integerInText(0, Number.MAX_SAFE_INTEGER - 1),
  ),
  instance: about('The `instance` of that event', text),
};

/** An event with `?detail=full`: with its stamp, and the fields `of` its origin. */
export const detailed = <E extends AnyCodec, F extends Fields>(event: E, of: F) =>
  named(
    'detailed_event',
    'With `detail=full`: an event and its origin',
    both(
      event,
      named(
        'Origin',
        '`seq` rises by one with every event of the server, `instance` changes with each start of it',
        object({ ...of, ...stamp }),
      ),
      `${event.name} in full`,
    ),
  );
