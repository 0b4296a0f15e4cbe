import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { Contract, Scope } from '../contract/index.js';
import {
  channelOf,
  componentsOf,
  failuresOf,
  givenOn,
  messagesOf,
  refusalsOf,
  takenOn,
  type Channel,
  type Message,
} from './channels.js';
import type { Components, Side } from './components.js';
import { whereGiven, type Examples, info, failureList, plain } from './parts.js';
import { fleetTopicsOf } from './fleet-topics.js';
import { fleetParts } from './fleet.js';

const refer = (path: string): JsonRecord => ({ $ref: `#/${path}` });

/** AsyncAPI has scopes for OAuth 2 alone, hence the extension. */
const secured = (scope: Scope): JsonRecord => ({
  security: [refer('components/securitySchemes/token')],
  'x-scope': scope,
});

const inChannel = ({ id }: Channel, messages: readonly Message[]): readonly JsonRecord[] =>
  messages.map(({ name }) => refer(`channels/${id}/messages/${name}`));

const queryOf = ({ socket: { query } }: Channel, components: Components): JsonRecord => {
  const fields = Object.entries(query).map(([name, codec]) => [name, components.input(codec)] as const);
  return fields.length === 0 ? {} : { query: { type: 'object', properties: Object.fromEntries(fields) } };
};

const channelObject = (channel: Channel, components: Components): JsonRecord => {
  const { path, summary } = channel.socket;
  const messages = [...messagesOf('input', takenOn(channel)), ...messagesOf('output', givenOn(channel))];
  return {
    address: path,
    summary: plain(summary),
    'x-errors': refusalsOf(channel.socket),
    messages: Object.fromEntries(messages.map(({ name }) => [name, refer(`components/messages/${name}`)])),
    servers: [refer('servers/websocket')],
    tags: [refer('components/tags/websocket')],
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0', ...queryOf(channel, components) } },
  };
};

const operationsOf = (channel: Channel): readonly (readonly [id: string, operation: JsonRecord])[] => {
  const { id, socket, commands } = channel;
  const ofChannel = { channel: refer(`channels/${id}`) };
  const receiving = commands.map(({ name, command, request, response }) => {
    const operation = {
      action: 'receive',
      ...ofChannel,
      summary: plain(command.summary),
      ...secured(command.access),
      'x-errors': failuresOf(command),
      messages: inChannel(channel, messagesOf('input', [request])),
      reply: {
        ...ofChannel,
        messages: inChannel(channel, messagesOf('output', [response, ...socket.errors])),
      },
    };
    return [name, operation] as const;
  });
  const sending = {
    action: 'send',
    ...ofChannel,
    summary: plain(socket.summary),
    ...secured('read'),
    messages: inChannel(channel, messagesOf('output', socket.events)),
  };
  return [...receiving, [id, sending]];
};

const serversOf = ({ fleet }: Contract): JsonRecord => ({
  websocket: {
    host: '{host}',
    protocol: 'ws',
    description: 'The server; `wss` behind a proxy with TLS',
    variables: {
      host: { description: 'The host name or address, with the port', examples: ['localhost:3000'] },
    },
  },
  ...(fleet !== undefined && {
    mqtt: {
      host: '{broker}',
      protocol: 'mqtt',
      description: 'The broker of `--mqtt`; `mqtts` with TLS',
      variables: {
        broker: { description: 'The host name or address, with the port', examples: ['localhost:1883'] },
      },
    },
  }),
});

/** The messages on the WebSockets of a server and over MQTT, as AsyncAPI 3.0. */
export const asyncApi = (contract: Contract, examples: Examples): JsonRecord => {
  const channels = contract.sockets.map(channelOf);
  const topics = fleetTopicsOf(contract);
  const components = componentsOf(channels, topics);
  const fleet = fleetParts(topics, components);

  const codes = [
    ...channels.flatMap(({ socket, commands }) => [
      ...refusalsOf(socket),
      ...commands.flatMap(({ command }) => failuresOf(command)),
    ]),
    ...topics.requested.flatMap(({ commands }) => commands.flatMap(({ fails }) => fails)),
  ];

  const messageObject =
    (side: Side) =>
    ({ name, summary }: Message): readonly [name: string, message: JsonRecord] => {
      const payload = examples.messages[name];
      return [
        name,
        {
          name,
          summary: plain(summary),
          payload: refer(`components/schemas/${components.nameOf(side, name)}`),
          ...whereGiven('examples', payload === undefined ? undefined : [{ payload }]),
        },
      ];
    };
  const messages = [
    ...messagesOf('input', channels.flatMap(takenOn)).map(messageObject('input')),
    ...messagesOf('output', channels.flatMap(givenOn)).map(messageObject('output')),
  ];

  return {
    asyncapi: '3.0.0',
    info: {
      ...info(
        contract,
        '`/openapi.json` describes the HTTP API.',
        `An operation may fail, and an upgrade be refused, with the codes in its \`x-errors\`:\n\n${failureList(codes)}`,
      ),
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: serversOf(contract),
    channels: {
      ...Object.fromEntries(channels.map((channel) => [channel.id, channelObject(channel, components)])),
      ...fleet.channels,
    },
    operations: { ...Object.fromEntries(channels.flatMap(operationsOf)), ...fleet.operations },
    components: {
      messages: Object.fromEntries(messages),
      schemas: components.schemas,
      ...(contract.fleet !== undefined && fleet.components),
      tags: {
        websocket: { name: 'WebSocket', description: 'Messages on a WebSocket of the server' },
        ...(contract.fleet !== undefined && {
          mqtt: { name: 'MQTT', description: 'Messages on an MQTT broker' },
        }),
      },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'If the server has tokens: as the header Authorization of the upgrade, as the subprotocol bearer.TOKEN or as access_token in the query; x-scope is the scope that the token needs',
        },
      },
    },
  };
};
