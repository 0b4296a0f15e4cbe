/** A row for each command of a WebSocket: `{"id", "command": {"type": <the name of the row>, …its parameters}}`. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import {
  anyInteger,
  both,
  decode,
  literal,
  named,
  object,
  oneOf,
  type AnyCodec,
  type Codec,
  type ParseError,
} from '../codecs/index.js';
import type { Scope } from './access.js';
import type { FailureCode } from './failures.js';
import { keysOf, type Row } from './row.js';

export interface CommandOptions<Given, Answer> {
  readonly summary: string;
  /** `full` unless given. */
  readonly access?: Scope;
  readonly parameters: Codec<Given, unknown>;
  readonly response: Codec<Answer, Json>;
  /** Whether all who subscribed to the device receive its outcome as an `ack`. */
  readonly acknowledged?: boolean;
  readonly fails?: readonly FailureCode[];
}

/** `read` takes the whole request, `readParameters` the parameters alone. */
export interface Command<Given, Answer> extends Row<unknown, Given, Answer, Json> {
  readonly readParameters: (parameters: unknown) => E.Either<ParseError, Given>;
  readonly access: Scope;
  readonly parameters: AnyCodec;
  readonly acknowledged: boolean;
}

export type AnyCommand = Command<unknown, never>;

const REQUEST = 'the request';

export const command = <Given, Answer>({
  access = 'full',
  acknowledged = false,
  fails = [],
  ...row
}: CommandOptions<Given, Answer>): Command<Given, Answer> &
  Pick<CommandOptions<Given, Answer>, 'response'> => {
  const readRequest = decode(object({ command: row.parameters }), REQUEST);
  return {
    ...row,
    access,
    acknowledged,
    fails,
    readParameters: decode(row.parameters, 'the payload'),
    read: (request) =>
      pipe(
        readRequest(request),
        E.map(({ command: given }) => given),
      ),
    write: (answer) => row.response.encode(answer),
  };
};

/** The name of one of `commands`. */
export const namesOf = <N extends string>(commands: Readonly<Record<N, AnyCommand>>): Codec<N> =>
  oneOf(keysOf(commands));

/** Reads which of `commands` a request names. */
export const readName = <N extends string>(
  commands: Readonly<Record<N, AnyCommand>>,
): ((request: unknown) => E.Either<ParseError, N>) => {
  const readRequest = decode(object({ command: object({ type: namesOf(commands) }) }), REQUEST);
  return (request) =>
    pipe(
      readRequest(request),
      E.map(({ command: { type } }) => type),
    );
};

/** The codec of a request for a command. */
export const requestOf = (name: string, { summary, parameters }: AnyCommand): AnyCodec =>
  named(
    name,
    summary,
    object({ id: anyInteger, command: both(object({ type: oneOf([name]) }), parameters, 'a JSON object') }),
  );

/** The codec of the answer to a command that succeeds. */
export const responseOf = (name: string, { response }: AnyCommand): AnyCodec =>
  named(
    `${name}_result`,
    `What answers ${name}`,
    object({ id: anyInteger, result: response, error: literal(null) }),
  );
