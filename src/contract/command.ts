/** A row for each command of a WebSocket: `{"id", "command": {"type": <the name of the row>, …its parameters}}`. */
import type * as E from 'fp-ts/lib/Either.js';
import type { Json } from 'fp-ts/lib/Json.js';
import {
  anyInteger,
  both,
  decode,
  decodeField,
  literal,
  named,
  object,
  oneOf,
  type AnyCodec,
  type Codec,
  type ParseError,
} from '../codecs/index.js';
import type { Scope, FailureCode } from './failures.js';
import { keysOf, type Operation } from './operation.js';

export interface CommandOptions<Input, Output, Change extends string = never> {
  readonly summary: string;
  /** `full` unless given. */
  readonly access?: Scope;
  readonly parameters: Codec<Input, unknown>;
  readonly response: Codec<Output, Json>;
  /** Whether all subscribers of the device receive the outcome as an `ack`. */
  readonly acknowledged?: boolean;
  /** The state of the device to read again after a success. */
  readonly changes?: readonly Change[];
  readonly fails?: readonly FailureCode[];
}

/** `read` reads the parameters in a request of a WebSocket, `readPayload` reads a message that has only them. */
export interface Command<Input, Output, Change extends string = string> extends Operation<
  unknown,
  Input,
  Output,
  Json
> {
  readonly readPayload: (parameters: unknown) => E.Either<ParseError, Input>;
  readonly access: Scope;
  readonly parameters: AnyCodec;
  readonly acknowledged: boolean;
  readonly changes: readonly Change[];
}

export type AnyCommand = Command<unknown, never>;

export const command = <Input, Output, Change extends string = never>({
  access = 'full',
  acknowledged = false,
  changes = [],
  fails = [],
  ...row
}: CommandOptions<Input, Output, Change>): Command<Input, Output, Change> &
  Pick<CommandOptions<Input, Output>, 'response'> => ({
  ...row,
  access,
  isMeasured: true,
  acknowledged,
  changes,
  fails,
  readPayload: decode(row.parameters, 'the payload'),
  read: decodeField('command', row.parameters),
  write: (answer) => row.response.encode(answer),
});

/** The name of one of `commands`. */
export const namesOf = <N extends string>(commands: Readonly<Record<N, AnyCommand>>): Codec<N> =>
  oneOf(keysOf(commands));

/** Reads the name of the command in a request; the parameters stay beside `type`, not yet decoded. */
export const readRequest = <N extends string>(commands: Readonly<Record<N, AnyCommand>>) =>
  decode(object({ id: anyInteger, command: object({ type: namesOf(commands) }) }), 'the request');

const requestId = named('RequestId', 'Any number, which the answer repeats', anyInteger);
export const answeredId = named('AnsweredId', 'The id of the request', anyInteger);

/** The codec of a request for a command. */
export const requestOf = (name: string, { summary, parameters }: AnyCommand): AnyCodec =>
  named(
    name,
    summary,
    object({ id: requestId, command: both(object({ type: oneOf([name]) }), parameters, 'a JSON object') }),
  );

/** The codec of the answer to a command that succeeds. */
export const responseOf = (name: string, { response }: AnyCommand): AnyCodec =>
  named(
    `${name}_result`,
    `The answer to ${name}`,
    object({ id: answeredId, result: response, error: literal(null) }),
  );
