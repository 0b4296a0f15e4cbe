/** A row for each WebSocket. */
import type { Either } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import {
  decode,
  objectWith,
  queryFields,
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
  /** The codes that an upgrade may be refused with, beside those that any may be refused with. */
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
