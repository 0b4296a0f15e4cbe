/** Commands to the clock server over its WebSocket, made from the rows of its contract. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { commands, DetailedError, Response, type CommandName, type Commands } from '../../clock/contract.js';
import type { Codec } from '../../codecs/index.js';
import { requestOf, type Command } from '../../contract/index.js';
import { UNREACHABLE, UNREADABLE, type Failure } from './api.js';
import type { Send } from './socket.js';

type Rows = {
  readonly [N in CommandName]: Command<Commands[N]['input'], Commands[N]['output']> & {
    readonly response: Codec<Commands[N]['output'], Json>;
  };
};

type Outcome<A> = E.Either<Failure, A>;

const rows: Rows = commands;

/** Reads an answer of the server. */
const readable =
  <A>(codec: Codec<A, unknown>) =>
  (answer: unknown): Outcome<A> =>
    E.mapLeft(() => UNREADABLE)(codec.decode(answer));

const outcomeOf = (message: unknown, result: unknown): Outcome<unknown> => {
  const failed = DetailedError.decode(message);
  return E.isRight(failed) ? E.left(failed.right) : E.right(result);
};

export const openCommands = (send: Send) => {
  let last = 0;
  const waiting = new Map<number, (outcome: Outcome<unknown>) => void>();

  const settle = (id: number, outcome: Outcome<unknown>): void => {
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  };

  return {
    run: async <N extends CommandName>(
      type: N,
      input: Commands[N]['input'],
    ): Promise<Outcome<Commands[N]['output']>> => {
      const row = rows[type];
      const id = ++last;
      const command = Object.assign({ type }, input);
      const text = JSON.stringify(requestOf(type, row).encode({ id, command }));
      const outcome = await new Promise<Outcome<unknown>>((resolve) => {
        waiting.set(id, resolve);
        if (!send(text)) settle(id, E.left(UNREACHABLE));
      });
      return pipe(outcome, E.chain(readable(row.response)));
    },
    /** Takes each message that is not an event. */
    answered: (message: unknown) => {
      const response = Response.decode(message);
      if (E.isLeft(response)) return;
      const { id, result } = response.right;
      settle(id, outcomeOf(message, result));
    },
    /** Fails all waiting commands after the connection is lost. */
    lost: () => {
      for (const id of [...waiting.keys()]) settle(id, E.left(UNREACHABLE));
    },
  };
};

export type CommandClient = ReturnType<typeof openCommands>;
