/** The WebSockets of a contract, and the messages on each. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { AnyCodec } from '../codecs/index.js';
import {
  ANY_COMMAND,
  BY_ACCESS,
  ON_UPGRADE,
  requestOf,
  responseOf,
  type AnyCommand,
  type FailureCode,
  type Socket,
} from '../contract/index.js';
import { Components, type Side } from './components.js';
import { givenByFleet, takenByFleet, type FleetTopics } from './fleet-topics.js';

interface ChannelCommand {
  readonly name: string;
  readonly command: AnyCommand;
  readonly request: AnyCodec;
  readonly response: AnyCodec;
}

export interface Channel {
  readonly id: string;
  readonly socket: Socket<unknown>;
  readonly commands: readonly ChannelCommand[];
}

export const channelOf = (socket: Socket<unknown>): Channel => ({
  id: socket.path.slice(1),
  socket,
  commands: Object.entries(socket.commands).map(([name, command]) => ({
    name,
    command,
    request: requestOf(name, command),
    response: responseOf(name, command),
  })),
});

export const takenOn = ({ commands }: Channel): readonly AnyCodec[] => commands.map(({ request }) => request);

export const givenOn = ({ socket: { errors, events }, commands }: Channel): readonly AnyCodec[] => [
  ...commands.map(({ response }) => response),
  ...errors,
  ...events,
];

const distinct = (codes: readonly FailureCode[]): readonly FailureCode[] => [...new Set(codes)];

/** The error codes of a refused upgrade. */
export const refusalsOf = ({ fails, query }: Socket<unknown>): readonly FailureCode[] =>
  distinct([
    ...fails,
    ...(Object.keys(query).length === 0 ? [] : (['invalid_input'] as const)),
    ...BY_ACCESS.read,
    ...ON_UPGRADE,
  ]);

/** The error codes of a command. */
export const failuresOf = ({ fails, access }: AnyCommand): readonly FailureCode[] =>
  distinct([...fails, ...(access === 'full' ? (['forbidden'] as const) : []), ...ANY_COMMAND]);

export interface Message {
  /** The title of the message's schema. */
  readonly name: string;
  readonly summary: string;
}

const messagesIn = ({ title, description, anyOf }: JsonRecord): readonly Message[] => {
  if (typeof title === 'string')
    return [{ name: title, summary: typeof description === 'string' ? description : '' }];
  if (!Array.isArray(anyOf)) throw new Error('a message has no title');
  return anyOf.flatMap((member: JsonRecord) => messagesIn(member));
};

/** The messages of codecs: one for each codec, or for each member of a union. */
export const messagesOf = (side: Side, codecs: readonly AnyCodec[]): readonly Message[] =>
  codecs.flatMap(({ schema }) => messagesIn(schema[side]));

export const componentsOf = (channels: readonly Channel[], fleet: FleetTopics): Components =>
  new Components({
    input: [
      ...channels.flatMap(takenOn),
      ...channels.flatMap(({ socket: { query } }) => Object.values(query)),
      ...takenByFleet(fleet),
    ],
    output: [...channels.flatMap(givenOn), ...givenByFleet(fleet)],
    format: 'asyncapi',
  });
