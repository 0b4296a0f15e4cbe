/** The topics of a server on an MQTT broker with their messages, as values. */
import { named, type AnyCodec } from '../codecs/index.js';
import {
  Availability,
  DeviceLabel,
  FleetFailure,
  Heard,
  payloadOf,
  resultOf,
  ServerDevices,
  ServerState,
  ServerStatus,
  type Contract,
  type FailureCode,
} from '../contract/index.js';
import { topicsOf } from '../contract/topics.js';

export interface Topic {
  readonly id: string;
  readonly address: string;
  readonly summary: string;
}

/** Messages that servers send by themselves. */
export interface PublishedTopic extends Topic {
  readonly codec: AnyCodec;
  readonly isRetained: boolean;
  readonly contentType: string;
}

export interface FleetCommand {
  readonly name: string;
  readonly summary: string;
  readonly payload: AnyCodec;
  readonly result: AnyCodec;
  /** The error codes of the command. */
  readonly fails: readonly FailureCode[];
}

export interface RequestedTopic extends Topic {
  readonly commands: readonly FleetCommand[];
  /** The id of the topic of the answers. */
  readonly answeredOn: string;
}

/** Answers to commands that name no response topic. */
export interface AnsweringTopic extends Topic {
  readonly commands: readonly FleetCommand[];
}

export interface FleetTopics {
  readonly published: readonly PublishedTopic[];
  readonly requested: readonly RequestedTopic[];
  readonly answering: readonly AnsweringTopic[];
}

/** The error codes of every command. */
const BY_REQUEST = ['invalid_json', 'invalid_input', 'body_too_large', 'too_many_requests'] as const;
const BY_MQTT = [...BY_REQUEST, 'shutting_down', 'internal_error'] as const;

const NONE: FleetTopics = { published: [], requested: [], answering: [] };

const JSON_TYPE = 'application/json';

type FleetContract = NonNullable<Contract['fleet']>;

type Topics = ReturnType<typeof topicsOf>;

const DEVICE = '{address}';

const published = (
  id: string,
  address: string,
  codec: AnyCodec,
  summary: string,
  contentType = JSON_TYPE,
): PublishedTopic => ({ id, address, codec, isRetained: false, contentType, summary });

const retained = (...topic: Parameters<typeof published>): PublishedTopic => ({
  ...published(...topic),
  isRetained: true,
});

const publishedTopics = (fleet: FleetContract, topics: Topics): readonly PublishedTopic[] => [
  retained('mqtt_server', topics.server, ServerStatus, 'Whether a server is online, retained'),
  retained(
    'mqtt_server_state',
    topics.serverState,
    ServerState,
    'How many devices a server has a link to, retained',
  ),
  retained('mqtt_devices', topics.devices, ServerDevices, 'The devices of a server, retained'),
  retained(
    ...(['mqtt_state', topics.state(DEVICE)] as const),
    named('DeviceState', 'The state of a device as a server sees it', fleet.state),
    'The state of a device, retained',
  ),
  retained(
    ...(['mqtt_availability', topics.availability(DEVICE), Availability] as const),
    ...(['Whether a device can be reached through a server, retained', 'text/plain'] as const),
  ),
  published('mqtt_events', topics.events(DEVICE), fleet.event, 'Each event of a device, once'),
  retained(
    ...(['mqtt_label', topics.label(DEVICE), DeviceLabel] as const),
    'The label of a device, the latest of all servers, retained',
  ),
  published('mqtt_heard', topics.heard, Heard, 'The devices that a server hears, every ten seconds'),
];

/** `implied`: the fields whose values are in the topic. */
const commandsOf = (
  fleet: FleetContract,
  prefix: string,
  implied: readonly string[],
): readonly FleetCommand[] =>
  // A WebSocket command replaces a REST endpoint of the same name.
  Object.entries({ ...fleet.endpoints, ...fleet.commands }).map(([name, row]) => ({
    ...{ name, summary: row.summary, fails: [...new Set([...row.fails, ...BY_MQTT])] },
    payload: named(`${prefix}${name}`, row.summary, payloadOf(row, implied)),
    result: named(`mqtt_${name}_result`, `The answer to \`${name}\``, resultOf(name, row)),
  }));

export const fleetTopicsOf = ({ name: kind, fleet }: Contract): FleetTopics => {
  if (fleet === undefined) return NONE;
  const topics = topicsOf('{prefix}', kind, '{name}');
  const commands = commandsOf(fleet, 'mqtt_', []);
  const below = (topic: string): string => `${topic}/{command}`;
  return {
    published: publishedTopics(fleet, topics),
    requested: [
      {
        ...{ id: 'mqtt_commands', address: below(topics.commands), commands, answeredOn: 'mqtt_result' },
        summary: 'Commands to a server; one that is retained is ignored',
      },
      {
        ...{ id: 'mqtt_device', address: below(topics.deviceCommands(DEVICE)), answeredOn: 'mqtt_result' },
        commands: commandsOf(fleet, 'mqtt_device_', fleet.identity),
        summary: 'Commands to a device, for each server that has it; they need no address',
      },
    ],
    answering: [
      {
        ...{ id: 'mqtt_result', address: topics.result, commands },
        summary: 'The answer to a command without a response topic',
      },
    ],
  };
};

/** The codecs of the messages to a server. */
export const takenByFleet = ({ requested }: FleetTopics): readonly AnyCodec[] =>
  requested.flatMap(({ commands }) => commands.map(({ payload }) => payload));

/** The codecs of the messages from a server. */
export const givenByFleet = ({ published: topics, answering }: FleetTopics): readonly AnyCodec[] => [
  ...topics.map(({ codec }) => codec),
  ...answering.flatMap(({ commands }) => [...commands.map(({ result }) => result), FleetFailure]),
];
