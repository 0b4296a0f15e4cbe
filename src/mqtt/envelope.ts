/** The properties of a request over MQTT: the topic of its answer, and the data that the answer returns. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { anyObject, decode, parseError, parseJson } from '../codecs/index.js';
import { bodyTooLarge, type ServerError } from '../operations/index.js';
import type { Message } from './broker.js';
import type { Payload } from './operations.js';
import type { Topics } from '../contract/topics.js';

/** Bytes of a payload. */
const MAX_PAYLOAD = 64 * 1024;
/** Bytes of what an answer repeats: correlation data, and the JSON of an id. */
const MAX_REPEATED = 1024;
const MAX_TOPIC_BYTES = 1024;
const MAX_TOPIC_LEVELS = 64;

export interface Envelope {
  /** Where the answer goes: the response topic, or the server's own if there is none or it cannot be used. */
  readonly topic: string;
  /** Of the request, as far as they can be repeated. */
  readonly correlation: Buffer | undefined;
  readonly id: unknown;
  /** The object that the payload is. Left: that, or something else of the request, is wrong. */
  readonly payload: E.Either<ServerError, Payload>;
}

/** The object that a message bears; nothing stands for an empty one. */
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
      'without wildcards and control characters, that does not begin with $ and is none of the servers themselves',
    is,
    (topic, context) => (is(topic) ? t.success(topic) : t.failure(topic, context)),
    t.identity,
  );
};

const checkSize = (what: string, bytes: number): E.Either<ServerError, number> =>
  bytes <= MAX_REPEATED
    ? E.right(bytes)
    : E.left(parseError(`${what} must have at most ${MAX_REPEATED} bytes, got ${bytes}`));

const checkCorrelation = (correlation: Buffer | undefined): E.Either<ServerError, Buffer | undefined> =>
  pipe(
    checkSize('the correlation data', correlation?.length ?? 0),
    E.map(() => correlation),
  );

const checkId = ({ id }: Payload): E.Either<ServerError, unknown> =>
  pipe(
    J.stringify(id ?? null),
    E.mapLeft(() => parseError('id must not be nested so deeply')),
    E.chain((text) => checkSize('id', Buffer.byteLength(text))),
    E.map(() => id),
  );

const orNothing: <A>(read: E.Either<unknown, A>) => A | undefined = E.getOrElseW(() => undefined);

/** `result`: where the answer goes unless the request says. */
export const readEnvelope = (message: Message, result: string, topics: Topics): Envelope => {
  const { reply } = message;
  const topic: E.Either<ServerError, string> =
    reply === undefined || reply.topic === result
      ? E.right(result)
      : decode(responseTopic(topics), 'the response topic')(reply.topic);
  const correlation = checkCorrelation(reply?.correlation);
  const payload = readPayload(message);
  const id = pipe(payload, E.chain(checkId));
  return {
    topic: orNothing(topic) ?? result,
    correlation: orNothing(correlation),
    id: orNothing(id),
    payload: pipe(
      topic,
      E.chain(() => correlation),
      E.chain(() => id),
      E.chain(() => payload),
    ),
  };
};
