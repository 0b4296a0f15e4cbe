/** Reads messages about commands in a kept guest from lines of other processes. */
import { constants } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import * as J from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';

/**
 * Each message is a line of JSON, with bytes in base64. A connection between client and keeper has one command; the keeper
 * adds its `id`.
 */
const Request = t.union([
  t.type({
    type: t.literal('run'),
    command: t.readonlyArray(t.string),
    folder: t.string,
    variables: t.readonly(t.record(t.string, t.string)),
  }),
  t.type({ type: t.literal('input'), data: t.string }),
  t.type({ type: t.literal('end') }),
  t.type({ type: t.literal('signal'), name: t.keyof(constants.signals) }),
  // The client has closed its connection.
  t.type({ type: t.literal('hangup') }),
]);
export type Request = t.TypeOf<typeof Request>;

const Reply = t.union([
  t.type({ type: t.union([t.literal('stdout'), t.literal('stderr')]), data: t.string }),
  t.type({ type: t.literal('exit'), status: t.number }),
]);
export type Reply = t.TypeOf<typeof Reply>;

/** A message between keeper and guest. */
export type Numbered<A> = A & { readonly id: number };

const SHOWN_CHARACTERS = 60;

/** Reads a line; drops a line that is not a message, and passes a sentence about it to `warn`. */
const reader =
  <A>(is: (value: unknown) => value is A) =>
  (sender: string, take: (message: A) => void, warn: (message: string) => void) =>
  (line: string): void => {
    const message = J.parse(line);
    if (E.isRight(message) && is(message.right)) take(message.right);
    else warn(`${sender} sends a line that is not a message: ${line.slice(0, SHOWN_CHARACTERS)}`);
  };

export const requestReader = reader(Request.is);
export const replyReader = reader<Numbered<Reply>>(t.intersection([Reply, t.type({ id: t.number })]).is);
