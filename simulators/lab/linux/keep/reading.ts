/** Messages about commands in a kept guest, read from lines that others write. */
import { constants } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import * as J from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import type { Numbered, Reply, Request } from './messages.js';

const isRequest = t.union([
  t.type({
    type: t.literal('run'),
    command: t.array(t.string),
    folder: t.string,
    variables: t.record(t.string, t.string),
  }),
  t.type({ type: t.literal('input'), data: t.string }),
  t.type({ type: t.literal('end') }),
  t.type({ type: t.literal('signal'), name: t.keyof(constants.signals) }),
  t.type({ type: t.literal('hangup') }),
]).is;

const isReply = t.intersection([
  t.union([
    t.type({ type: t.union([t.literal('stdout'), t.literal('stderr')]), data: t.string }),
    t.type({ type: t.literal('exit'), status: t.number }),
  ]),
  t.type({ id: t.number }),
]).is;

const SHOWN_CHARACTERS = 60;

/** Reads a line; `warn` gets a sentence about one that is not a message, which is dropped. */
const reader =
  <A>(is: (value: unknown) => value is A) =>
  (sender: string, take: (message: A) => void, warn: (message: string) => void) =>
  (line: string): void => {
    const message = J.parse(line);
    if (E.isRight(message) && is(message.right)) take(message.right);
    else warn(`${sender} sends a line that is not a message: ${line.slice(0, SHOWN_CHARACTERS)}`);
  };

export const requestReader = reader<Request>(isRequest);
export const replyReader = reader<Numbered<Reply>>(isReply);
