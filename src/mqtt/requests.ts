/** What a server is asked over MQTT, and what it answers. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import { anyObject, decode, parseError, parseJson } from '../codecs/index.js';
import { errorReply, internalError, shuttingDown, type ServerError } from '../http/index.js';
import { NO_COMMAND, type Metrics } from '../metrics/index.js';
import type { Clock } from '../time.js';
import type { Broker, Message } from './broker.js';
import type { Operations, Payload } from './operations.js';

export interface Requests {
  /** Does what a message asks for, with what its topic says besides, and answers it. */
  readonly begin: (message: Message, request: Request) => void;
  /** Gives up what waits, refuses what comes, and resolves when all is answered. */
  readonly drain: Task<void>;
}

export interface Request {
  /** The name of an operation. */
  readonly command: string;
  readonly identity?: Payload;
  /** Where the answer goes if the message does not say. */
  readonly result: string;
}

export interface RequestsOptions {
  readonly operations: () => Operations;
  readonly publish: Broker['publish'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Under way for one server. */
const MAX_PENDING = 256;
/** Bytes of a payload. */
const MAX_PAYLOAD = 64 * 1024;

const tooMany: ServerError = {
  _tag: 'TooManyRequests',
  message: `too many commands at once: a server may have ${MAX_PENDING} under way over MQTT`,
  retryAfterSecs: 1,
};

/** The object that a message bears; nothing stands for an empty one. */
export const readPayload = ({ payload }: Message): E.Either<ServerError, Payload> => {
  if (payload.length === 0) return E.right({});
  if (payload.length > MAX_PAYLOAD) return E.left({ _tag: 'BodyTooLarge', limit: MAX_PAYLOAD });
  return pipe(parseJson(payload.toString('utf8'), 'the payload'), E.chain(decode(anyObject, 'the payload')));
};

export const openRequests = ({ operations, publish, clock, log, metrics }: RequestsOptions): Requests => {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  const perform = async (command: string, payload: Payload): Promise<E.Either<ServerError, Json>> => {
    if (stopping.signal.aborted) return E.left(shuttingDown);
    if (running.size >= MAX_PENDING) return E.left(tooMany);
    const known = new Map(Object.entries(operations()));
    const operation = known.get(command);
    if (operation === undefined) {
      const names = [...known.keys()].join(', ');
      return E.left(parseError(`the command must be one of ${names}, got ${JSON.stringify(command)}`));
    }
    const run = operation(payload);
    if (E.isLeft(run)) return run;
    const began = clock.now();
    metrics.commandsPending.inc();
    try {
      return pipe(
        await run.right(stopping.signal)(),
        E.map((result) => (Buffer.isBuffer(result) ? result.toString('base64') : result)),
      );
    } catch (defect) {
      log.error({ err: defect, command }, 'a command of MQTT failed');
      return E.left(internalError);
    } finally {
      metrics.commandsPending.dec();
      metrics.commandSeconds.observe({ command }, (clock.now() - began) / 1000);
    }
  };

  const execute = async (message: Message, { command, identity, result }: Request): Promise<void> => {
    const payload = readPayload(message);
    const outcome = E.isLeft(payload) ? payload : await perform(command, { ...payload.right, ...identity });
    const answer = E.isRight(outcome) ? { result: outcome.right } : errorReply(outcome.left).body;
    metrics.commands.inc({
      command: Object.hasOwn(operations(), command) ? command : NO_COMMAND,
      result: 'code' in answer ? answer.code : 'ok',
    });
    const id = E.isRight(payload) ? payload.right['id'] : undefined;
    const text = JSON.stringify({ ...(id !== undefined && { id }), command, ...answer });
    if (message.reply === undefined) publish(result, text);
    else publish(message.reply.topic, text, { correlation: message.reply.correlation });
  };

  return {
    begin: (message, request) => {
      const work = execute(message, request);
      running.add(work);
      void work.finally(() => running.delete(work));
    },
    drain: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
};
