/** Operations asked for over MQTT, and their answers. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { detached } from '../async/defects.js';
import { cut, parseError, shown } from '../codecs/index.js';
import type { Topics } from '../contract/topics.js';
import {
  errorBody,
  openSlots,
  type BoundOperation,
  type Client,
  type Executor,
  type Outcome,
  type ServerError,
} from '../operations/index.js';
import type { Broker, Message } from './broker.js';
import { readEnvelope } from './envelope.js';
import type { Operations, Payload } from './operations.js';
import { limitsOf } from './slots.js';

/** Executes what a message asks for, and publishes the answer. */
export type Requests = (message: Message, request: Request) => void;

export interface Request {
  /** The name of an operation. */
  readonly command: string;
  /** The fields of the topic besides the payload. */
  readonly identity?: Payload;
  /** Where the answer goes if the message does not say. */
  readonly result: string;
}

export interface RequestsOptions {
  readonly topics: Topics;
  readonly operations: Operations;
  readonly executor: Executor;
  readonly publish: Broker['publish'];
}

/** All that comes from a broker: which clients it lets publish is its own decision. */
const BROKER: Client = {
  countedAs: 'MQTT broker',
  principal: () => E.right({ name: 'MQTT broker', scope: 'full' }),
};

const resultOf = (outcome: Outcome): object => {
  if (E.isLeft(outcome)) return errorBody(outcome.left);
  return { result: Buffer.isBuffer(outcome.right) ? outcome.right.toString('base64') : outcome.right };
};

export const openRequests = ({ topics, operations, executor, publish }: RequestsOptions): Requests => {
  const known = new Map(Object.entries(operations));
  const takeSlot = openSlots();
  const { signal } = executor.join();

  const find = (name: string): E.Either<ServerError, BoundOperation<Payload>> => {
    const names = [...known.keys()].join(', ');
    return E.fromNullable(parseError(`the command must be one of ${names}, got ${shown(name)}`))(
      known.get(name),
    );
  };

  return (message, { command: name, identity, result }) => {
    const { topic, correlation, id, payload } = readEnvelope(message, result, topics);
    const command = known.has(name) ? name : cut(name);
    const call = pipe(
      find(name),
      // An error of the message itself comes first.
      E.mapLeft((unknown) => (E.isLeft(payload) ? payload.left : unknown)),
      E.map((operation) => ({
        operation,
        raw: pipe(
          payload,
          E.map((given): Payload => ({ ...given, ...identity })),
        ),
        context: { signal },
        takeSlot: () => takeSlot(limitsOf(topic, name)),
      })),
    );
    detached(
      executor.execute(BROKER, call, (outcome) => {
        const answer = { ...(id !== undefined && { id }), command, ...resultOf(outcome) };
        publish(topic, JSON.stringify(answer), { correlation, isAnswer: true });
      }),
    );
  };
};
