/** What a server is asked over MQTT, and what it answers. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { Task } from 'fp-ts/lib/Task.js';
import { cut, parseError, shown } from '../codecs/index.js';
import { errorReply, internalError, shuttingDown, type ServerError } from '../http/index.js';
import { NO_COMMAND, type Metrics } from '../metrics/index.js';
import type { TimeSource } from '../async/time.js';
import type { Broker, Message } from './broker.js';
import { readEnvelope } from './envelope.js';
import type { MinuteLog } from './minute-log.js';
import type { Operations, Payload } from './operations.js';
import { openPlaces } from './places.js';
import type { Topics } from '../contract/topics.js';

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
  readonly topics: Topics;
  readonly operations: () => Operations;
  readonly publish: Broker['publish'];
  readonly time: TimeSource;
  readonly minuteLog: MinuteLog;
  readonly metrics: Metrics;
}

export const openRequests = (options: RequestsOptions): Requests => {
  const { topics, operations, publish, time, minuteLog, metrics } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const places = openPlaces();

  const perform = async (
    client: string,
    command: string,
    payload: Payload,
  ): Promise<E.Either<ServerError, Json>> => {
    if (stopping.signal.aborted) return E.left(shuttingDown);
    const known = new Map(Object.entries(operations()));
    const operation = known.get(command);
    if (operation === undefined) {
      const names = [...known.keys()].join(', ');
      return E.left(parseError(`the command must be one of ${names}, got ${shown(command)}`));
    }
    const run = operation(payload);
    if (E.isLeft(run)) return run;
    const place = places.take(client, command);
    if (E.isLeft(place)) return place;
    const began = time.now();
    metrics.commandsPending.inc();
    try {
      return pipe(
        await run.right(stopping.signal)(),
        E.map((result) => (Buffer.isBuffer(result) ? result.toString('base64') : result)),
      );
    } catch (defect) {
      minuteLog.write('error', 'defect', 'a command of MQTT failed', { err: defect, command });
      return E.left(internalError);
    } finally {
      place.right();
      metrics.commandsPending.dec();
      metrics.commandSeconds.observe({ command }, (time.now() - began) / 1000);
    }
  };

  const execute = async (message: Message, { command: name, identity, result }: Request): Promise<void> => {
    const isKnown = Object.hasOwn(operations(), name);
    const command = isKnown ? name : cut(name);
    const { topic, correlation, id, payload } = readEnvelope(message, result, topics);
    const outcome = E.isLeft(payload)
      ? payload
      : await perform(topic, command, { ...payload.right, ...identity });
    const answer = E.isRight(outcome) ? { result: outcome.right } : errorReply(outcome.left).body;
    metrics.commands.inc({
      command: isKnown ? command : NO_COMMAND,
      result: 'code' in answer ? answer.code : 'ok',
    });
    const text = JSON.stringify({ ...(id !== undefined && { id }), command, ...answer });
    publish(topic, text, { correlation, isAnswer: true });
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
