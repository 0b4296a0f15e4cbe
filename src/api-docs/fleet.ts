/** The topics of a server on an MQTT broker, as parts of AsyncAPI 3.0. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { FleetFailure } from '../contract/index.js';
import { messagesOf } from './channels.js';
import type { Components } from './components.js';
import type { AnsweringTopic, AskedTopic, FleetTopics, PublishedTopic } from './fleet-topics.js';
import { plain } from './parts.js';

const PARAMETERS = {
  prefix: { description: 'As `--mqtt-prefix` has it', default: 'airbench' },
  name: { description: 'Of the server, as `--name` has it' },
  address: { description: 'Of the device', examples: ['D1:CE:00:00:00:01'] },
  command: { description: 'A row of the contract' },
};

const bindings = (retain: boolean): JsonRecord => ({ mqtt: { qos: 1, retain, bindingVersion: '0.2.0' } });

const RESPONSE_TOPIC = 'response_topic';

export interface FleetParts {
  readonly channels: JsonRecord;
  readonly operations: JsonRecord;
  readonly components: JsonRecord;
}

const refer = (channel: string): JsonRecord => ({ $ref: `#/channels/${channel}` });

const messageIn = (channel: string, message: string): JsonRecord => ({
  $ref: `#/channels/${channel}/messages/${message}`,
});

const parametersIn = (address: string): JsonRecord =>
  Object.fromEntries(Object.entries(PARAMETERS).filter(([name]) => address.includes(`{${name}}`)));

const channel = (
  { address, summary }: Pick<PublishedTopic, 'address' | 'summary'>,
  messages: JsonRecord,
): JsonRecord => ({
  ...{ address, summary: plain(summary), parameters: parametersIn(address), messages },
  ...{
    servers: [{ $ref: '#/servers/mqtt' }],
    tags: [{ $ref: '#/components/tags/mqtt' }],
  },
  bindings: { mqtt: {} },
});

const publishedOperation = ({ id, summary, isRetained }: PublishedTopic): JsonRecord => ({
  ...{ action: 'send', channel: refer(id), summary: plain(summary) },
  bindings: bindings(isRetained),
});

const askedOperations = ({ id, commands, answeredOn }: AskedTopic): readonly [string, JsonRecord][] =>
  commands.map(({ name }) => [
    `${id}_${name}`,
    {
      ...{ action: 'receive', channel: refer(id), messages: [messageIn(id, name)] },
      traits: [{ $ref: `#/components/operationTraits/mqtt_${name}` }],
      reply: {
        address: { $ref: `#/components/replyAddresses/${RESPONSE_TOPIC}` },
        channel: refer(answeredOn),
        messages: [messageIn(answeredOn, `${name}_done`), messageIn(answeredOn, 'failed')],
      },
    },
  ]);

/** The parts that commands of one name share on all topics. */
const traitsOf = (topics: readonly AskedTopic[]): readonly (readonly [string, JsonRecord])[] =>
  topics.flatMap(({ commands }) =>
    commands.map(({ name, summary, fails }): readonly [string, JsonRecord] => [
      `mqtt_${name}`,
      { summary: plain(summary), 'x-errors': fails, bindings: bindings(false) },
    ]),
  );

export const fleetParts = (
  { published, requested, answering }: FleetTopics,
  components: Components,
): FleetParts => {
  const schemaOf = (title: string): JsonRecord => ({
    $ref: `#/components/schemas/${components.nameOf('output', title)}`,
  });

  const publishedChannel = (topic: PublishedTopic): JsonRecord => {
    const { id, codec, contentType } = topic;
    const messages = messagesOf('output', [codec]);
    return channel(
      topic,
      Object.fromEntries(
        messages.map(({ name, summary }) => {
          const key = messages.length === 1 ? id : `${id}_${name}`;
          return [key, { name: key, summary: plain(summary), contentType, payload: schemaOf(name) }];
        }),
      ),
    );
  };

  const answeringChannel = (topic: AnsweringTopic): JsonRecord =>
    channel(topic, {
      ...Object.fromEntries(
        topic.commands.map(({ name, result }) => [
          `${name}_done`,
          { name, payload: components.output(result) },
        ]),
      ),
      failed: { name: 'mqtt_failed', payload: components.output(FleetFailure) },
    });

  const askedChannel = (topic: AskedTopic): JsonRecord =>
    channel(
      topic,
      Object.fromEntries(
        topic.commands.map(({ name, payload }) => [name, { name, payload: components.input(payload) }]),
      ),
    );

  return {
    channels: Object.fromEntries([
      ...published.map((topic) => [topic.id, publishedChannel(topic)] as const),
      ...answering.map((topic) => [topic.id, answeringChannel(topic)] as const),
      ...requested.map((topic) => [topic.id, askedChannel(topic)] as const),
    ]),
    operations: Object.fromEntries([
      ...published.map((topic) => [topic.id, publishedOperation(topic)] as const),
      ...requested.flatMap(askedOperations),
    ]),
    components: {
      operationTraits: Object.fromEntries(traitsOf(requested)),
      replyAddresses: {
        [RESPONSE_TOPIC]: {
          location: '$message.header#/responseTopic',
          description: 'MQTT 5, with the correlation data of the request; else the topic of the channel',
        },
      },
    },
  };
};
