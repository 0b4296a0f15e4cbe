import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { AnyCodec } from '../codecs/index.js';
import {
  ANY_COMMAND,
  ON_UPGRADE,
  requestOf,
  responseOf,
  type AnyCommand,
  type Contract,
  type Socket,
} from '../contract/index.js';
import { openComponents, type Components } from './components.js';
import type { Examples } from './examples.js';
import { failureList } from './failure-list.js';
import { info } from './info.js';

interface Message {
  readonly name: string;
  readonly schema: JsonRecord;
}

/** A WebSocket with its messages. */
interface Channel {
  readonly id: string;
  readonly socket: Socket<unknown>;
  readonly commands: readonly (readonly [name: string, command: AnyCommand])[];
  readonly requests: readonly AnyCodec[];
  readonly responses: readonly AnyCodec[];
}

const channelOf = (socket: Socket<unknown>): Channel => {
  const commands = Object.entries(socket.commands);
  return {
    id: socket.path.slice(1),
    socket,
    commands,
    requests: commands.map(([name, command]) => requestOf(name, command)),
    responses: commands.map(([name, command]) => responseOf(name, command)),
  };
};

const sentOn = ({ socket: { errors, events }, responses }: Channel): readonly AnyCodec[] => [
  ...responses,
  ...errors,
  ...events,
];

/** A message for each schema with a title, which `schema` is or of which it is one. */
const messagesOf = (schema: JsonRecord): readonly Message[] => {
  const { title, anyOf } = schema;
  if (typeof title === 'string') return [{ name: title, schema }];
  if (!Array.isArray(anyOf)) throw new Error('a message has no title');
  return anyOf.flatMap((member: JsonRecord) => messagesOf(member));
};
const sent = (codecs: readonly AnyCodec[]): readonly Message[] =>
  codecs.flatMap(({ schema }) => messagesOf(schema.gives));
const taken = (codecs: readonly AnyCodec[]): readonly Message[] =>
  codecs.flatMap(({ schema }) => messagesOf(schema.takes));

const refer = (path: string): JsonRecord => ({ $ref: `#/${path}` });

const inChannel = ({ id }: Channel, messages: readonly Message[]): readonly JsonRecord[] =>
  messages.map(({ name }) => refer(`channels/${id}/messages/${name}`));

const channelObject = (channel: Channel, { takes }: Components): JsonRecord => {
  const { socket } = channel;
  const query = Object.entries(socket.query).map(([name, codec]) => [name, takes(codec)] as const);
  const messages = [...taken(channel.requests), ...sent(sentOn(channel))];
  return {
    address: socket.path,
    summary: socket.summary,
    description: `An upgrade may be refused with one of these codes:\n\n${failureList([
      ...socket.fails,
      ...(query.length === 0 ? [] : (['invalid_input'] as const)),
      ...ON_UPGRADE,
    ])}`,
    messages: Object.fromEntries(messages.map(({ name }) => [name, refer(`components/messages/${name}`)])),
    bindings: {
      ws: {
        method: 'GET',
        bindingVersion: '0.1.0',
        ...(query.length === 0 ? {} : { query: { type: 'object', properties: Object.fromEntries(query) } }),
      },
    },
  };
};

const operationsOf = (channel: Channel): readonly (readonly [string, JsonRecord])[] => {
  const { id, socket, commands } = channel;
  const ofChannel = { channel: refer(`channels/${id}`) };
  const receiving = commands.map(
    ([name, command]) =>
      [
        name,
        {
          action: 'receive',
          ...ofChannel,
          summary: command.summary,
          description: `It may fail with one of these codes:\n\n${failureList([...command.fails, ...ANY_COMMAND])}`,
          messages: inChannel(channel, taken([requestOf(name, command)])),
          reply: {
            ...ofChannel,
            messages: inChannel(channel, sent([responseOf(name, command), ...socket.errors])),
          },
        },
      ] as const,
  );
  const sending = {
    action: 'send',
    ...ofChannel,
    summary: socket.summary,
    messages: inChannel(channel, sent(socket.events)),
  };
  return [...receiving, [id, sending]];
};

/** What is said on the WebSockets of a server, as AsyncAPI 3.0. */
export const asyncApi = (contract: Contract, examples: Examples): JsonRecord => {
  const channels = contract.sockets.map(channelOf);
  const requests = channels.flatMap((channel) => channel.requests);
  const answers = channels.flatMap(sentOn);
  const components = openComponents(
    [...requests, ...channels.flatMap(({ socket }) => Object.values(socket.query))],
    answers,
  );
  const messageObject = ({ name, schema }: Message): readonly [string, JsonRecord] => {
    const payload = examples.messages[name];
    return [
      name,
      {
        name,
        summary: schema['description'] ?? '',
        payload: refer(`components/schemas/${name}`),
        ...(payload === undefined ? {} : { examples: [{ payload }] }),
      },
    ];
  };
  return {
    asyncapi: '3.0.0',
    info: {
      ...info(contract, 'What can be asked over HTTP is described by `/openapi.json`.'),
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(channels.map((channel) => [channel.id, channelObject(channel, components)])),
    operations: Object.fromEntries(channels.flatMap(operationsOf)),
    components: {
      messages: Object.fromEntries([...taken(requests), ...sent(answers)].map(messageObject)),
      schemas: components.schemas,
    },
  };
};
