/** The topics of a server on an MQTT broker, as parts of AsyncAPI 3.0. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { FleetFailure } from '../contract/index.js';
import { messagesOf } from './channels.js';
import type { Components } from './components.js';
import type { AnsweringTopic, RequestedTopic, FleetTopics, PublishedTopic, Topic } from './fleet-topics.js';
import { plain } from './parts.js';

const PARAMETERS = {
  prefix: { description: 'The value of `--mqtt-prefix`', default: 'airbench' },
  name: { description: 'The name of the server (`--name`)' },
  address: { description: 'The address of the device', examples: ['D1:CE:00:00:00:01'] },
  command: { description: 'A row of the contract' },
};

const bindings = (retain: boolean): JsonRecord => ({ mqtt: { qos: 1, retain, bindingVersion: '0.2.0' } });

const RESPONSE_TOPIC = 'response_topic';

const refer = (channel: string): JsonRecord => ({ $ref: `#/channels/${channel}` });

const messageIn = (channel: string, message: string): JsonRecord => ({
  $ref: `#/channels/${channel}/messages/${message}`,
});

const parametersIn = (address: string): JsonRecord =>
  Object.fromEntries(Object.entries(PARAMETERS).filter(([name]) => address.includes(`{${name}}`)));

type Messages = readonly (readonly [key: string, message: JsonRecord])[];

const channel = ({ id, address, summary }: Topic, messages: Messages): readonly [string, JsonRecord] => [
  id,
  {
    ...{ address, summary: plain(summary), parameters: parametersIn(address) },
    messages: Object.fromEntries(messages),
    ...{ servers: [{ $ref: '#/servers/mqtt' }], tags: [{ $ref: '#/components/tags/mqtt' }] },
    bindings: { mqtt: {} },
  },
];

const publishedOperation = ({ id, summary, isRetained }: PublishedTopic): JsonRecord => ({
  ...{ action: 'send', channel: refer(id), summary: plain(summary) },
  bindings: bindings(isRetained),
});

const requestedOperations = ({ id, commands, answeredOn }: RequestedTopic): readonly [string, JsonRecord][] =>
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

/** The common parts of all operations of a command, which several topics may have. */
const traitsOf = (topics: readonly RequestedTopic[]): readonly (readonly [string, JsonRecord])[] =>
  topics.flatMap(({ commands }) =>
    commands.map(({ name, summary, fails }): readonly [string, JsonRecord] => [
      `mqtt_${name}`,
      { summary: plain(summary), 'x-errors': fails, bindings: bindings(false) },
    ]),
  );

export const fleetParts = ({ published, requested, answering }: FleetTopics, components: Components) => {
  const publishedMessages = ({ id, codec, contentType }: PublishedTopic): Messages =>
    messagesOf('output', [codec]).map(({ name, summary }, _, { length }) => {
      const key = length === 1 ? id : `${id}_${name}`;
      const payload = { $ref: `#/components/schemas/${components.nameOf('output', name)}` };
      return [key, { name: key, summary: plain(summary), contentType, payload }];
    });
  const answers = ({ commands }: AnsweringTopic): Messages => [
    ...commands.map(
      ({ name, result }) => [`${name}_done`, { name, payload: components.output(result) }] as const,
    ),
    ['failed', { name: 'mqtt_failed', payload: components.output(FleetFailure) }],
  ];
  const requests = ({ commands }: RequestedTopic): Messages =>
    commands.map(({ name, payload }) => [name, { name, payload: components.input(payload) }]);

  return {
    channels: Object.fromEntries([
      ...published.map((topic) => channel(topic, publishedMessages(topic))),
      ...answering.map((topic) => channel(topic, answers(topic))),
      ...requested.map((topic) => channel(topic, requests(topic))),
    ]),
    operations: Object.fromEntries([
      ...published.map((topic) => [topic.id, publishedOperation(topic)] as const),
      ...requested.flatMap(requestedOperations),
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
