/** Operations requested over MQTT, and their answers. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { detached } from '../async/defects.js';
import { anyObject, cut, decode, parseError, parseJson, shown } from '../codecs/index.js';
import {
  bodyTooLarge,
  errorBody,
  openSlots,
  type BoundOperation,
  type Client,
  type Limit,
  type Outcome,
  type ServerError,
} from '../operations/index.js';
import type { Message } from './broker.js';
import type { Peer } from './messages.js';
import type { Member } from './fleet.js';
import type { Payload } from './operations.js';
import type { Topics } from '../contract/topics.js';

/** Bytes of a payload. */
const MAX_PAYLOAD = 64 * 1024;
/** Bytes of each field that an answer repeats: correlation data, and the JSON of an id. */
const MAX_REPEATED = 1024;
const MAX_TOPIC_BYTES = 1024;
const MAX_TOPIC_LEVELS = 64;

/** A request without its transport. */
interface Envelope {
  /** The topic of the answer: the response topic, or the server's own without a usable one. */
  readonly topic: string;
  /** The correlation data of the request; undefined if the answer cannot repeat them. */
  readonly correlation: Buffer | undefined;
  readonly id: unknown;
  /** Left: the payload or another part of the request is wrong. */
  readonly payload: E.Either<ServerError, Payload>;
}

/** The object in the payload of a message; an empty payload stands for an empty object. */
export const readPayload = ({ payload }: Message): E.Either<ServerError, Payload> => {
  if (payload.length === 0) return E.right({});
  if (payload.length > MAX_PAYLOAD) return E.left(bodyTooLarge(MAX_PAYLOAD));
  return pipe(parseJson(payload.toString('utf8'), 'the payload'), E.chain(decode(anyObject, 'the payload')));
};

/** The limits of brokers: https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901241, 1.5.4 and 4.7. */
const isPublishable = (topic: string): boolean =>
  topic !== '' &&
  Buffer.byteLength(topic) <= MAX_TOPIC_BYTES &&
  topic.split('/').length <= MAX_TOPIC_LEVELS &&
  !/^\$|[+#]|[\p{Cc}\p{Noncharacter_Code_Point}\uFFFD]/u.test(topic);

const responseTopic = ({ isOfServers }: Topics): t.Decoder<unknown, string> => {
  const is = (topic: unknown): topic is string =>
    typeof topic === 'string' && isPublishable(topic) && !isOfServers(topic);
  return new t.Type<string>(
    `a topic of 1 to ${MAX_TOPIC_BYTES} bytes in at most ${MAX_TOPIC_LEVELS} levels, ` +
      'without wildcards and control characters, that does not begin with $ and is not a topic of the servers',
    is,
    (topic, context) => (is(topic) ? t.success(topic) : t.failure(topic, context)),
    t.identity,
  );
};

const checkSize = (field: string, bytes: number): E.Either<ServerError, number> =>
  bytes <= MAX_REPEATED
    ? E.right(bytes)
    : E.left(parseError(`${field} must have at most ${MAX_REPEATED} bytes, got ${bytes}`));

const checkId = ({ id }: Payload): E.Either<ServerError, unknown> =>
  pipe(
    J.stringify(id ?? null),
    E.mapLeft(() => parseError('id must not be nested too deeply')),
    E.chain((text) => checkSize('id', Buffer.byteLength(text))),
    E.map(() => id),
  );

const orUndefined: <A>(read: E.Either<unknown, A>) => A | undefined = E.getOrElseW(() => undefined);

const readEnvelope = (message: Message, topics: Topics): Envelope => {
  const { reply } = message;
  const { result } = topics;
  const topic: E.Either<ServerError, string> =
    reply === undefined || reply.topic === result
      ? E.right(result)
      : decode(responseTopic(topics), 'the response topic')(reply.topic);
  const correlation = pipe(
    checkSize('the correlation data', reply?.correlation?.length ?? 0),
    E.map(() => reply?.correlation),
  );
  const payload = readPayload(message);
  const id = pipe(payload, E.chain(checkId));
  return {
    topic: orUndefined(topic) ?? result,
    correlation: orUndefined(correlation),
    id: orUndefined(id),
    payload: pipe(
      topic,
      E.chain(() => correlation),
      E.chain(() => id),
      E.chain(() => payload),
    ),
  };
};

/** Commands under way over MQTT. */
const MAX_PENDING = 256;
/** The share of one client, and of one command. */
const MAX_SHARE = 128;
/** A scan may last ten minutes. */
const SCAN = 'scan';
const MAX_SCANS = 32;
const MAX_SCANS_OF_CLIENT = 8;

const limit = (key: string, most: number, excess: string): Limit => ({
  key,
  most,
  message: `too many ${excess} may have ${most} under way over MQTT`,
});

/**
 * The limits for a command of a client, identified by the topic of its answers: a broker does not name the publisher of a
 * message.
 */
export const limitsOf = (client: string, command: string): readonly Limit[] => [
  limit('all', MAX_PENDING, 'commands at once: a server'),
  limit(`client ${client}`, MAX_SHARE, 'commands at once: a client'),
  limit(
    `command ${command}`,
    command === SCAN ? MAX_SCANS : MAX_SHARE,
    `${command} commands at once: a server`,
  ),
  ...(command === SCAN
    ? [limit(`scans of ${client}`, MAX_SCANS_OF_CLIENT, `${command} commands at once: a client`)]
    : []),
];

export interface Request {
  /** The name of an operation. */
  readonly command: string;
  /** The fields that the topic adds to the payload. */
  readonly identity?: Payload;
}

/** All clients of a broker: the broker itself decides which of them may publish. */
const BROKER: Client = {
  countedAs: 'MQTT broker',
  principal: () => E.right({ name: 'MQTT broker', scope: 'full' }),
};

const resultOf = (outcome: Outcome): object => {
  if (E.isLeft(outcome)) return errorBody(outcome.left);
  return { result: Buffer.isBuffer(outcome.right) ? outcome.right.toString('base64') : outcome.right };
};

export class Requests {
  private readonly operations: ReadonlyMap<string, BoundOperation<Payload>>;
  private readonly takeSlot = openSlots();
  private readonly signal: AbortSignal;

  constructor(
    private readonly peer: Pick<Peer, 'topics' | 'broker'>,
    private readonly member: Pick<Member, 'operations' | 'executor'>,
  ) {
    this.operations = new Map(Object.entries(member.operations));
    this.signal = member.executor.join().signal;
  }

  /** Executes the operation that a message requests, and publishes the answer. */
  execute(message: Message, { command: name, identity }: Request): void {
    const { broker, topics } = this.peer;
    const { topic, correlation, id, payload } = readEnvelope(message, topics);
    const command = this.operations.has(name) ? name : cut(name);
    const call = pipe(
      this.find(name),
      // An error of the message itself comes first.
      E.mapLeft((unknownCommand) => (E.isLeft(payload) ? payload.left : unknownCommand)),
      E.map((operation) => ({
        operation,
        raw: pipe(
          payload,
          E.map((fields): Payload => ({ ...fields, ...identity })),
        ),
        context: { signal: this.signal },
        takeSlot: () => this.takeSlot(limitsOf(topic, name)),
      })),
    );
    detached(
      this.member.executor.execute(BROKER, call, (outcome) => {
        const answer = { ...(id !== undefined && { id }), command, ...resultOf(outcome) };
        broker.publish(topic, JSON.stringify(answer), { correlation, isAnswer: true });
      }),
    );
  }

  private find(name: string): E.Either<ServerError, BoundOperation<Payload>> {
    const names = [...this.operations.keys()].join(', ');
    return E.fromNullable(parseError(`the command must be one of ${names}, got ${shown(name)}`))(
      this.operations.get(name),
    );
  }
}
