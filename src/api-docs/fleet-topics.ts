/** The topics of a server on an MQTT broker with their messages, as values. */
import { named, type AnyCodec } from '../codecs/index.js';
import {
  Asked,
  Availability,
  Claim,
  DeviceLabel,
  FleetFailure,
  Heard,
  OwnedDevices,
  payloadOf,
  publishedOf,
  resultOf,
  ServerState,
  ServerStatus,
  Signal,
  Taken,
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
  retained('mqtt_server_state', topics.serverState, ServerState, 'How many devices a server has, retained'),
  retained(
    ...(['mqtt_state', topics.state(DEVICE)] as const),
    named('DeviceState', 'The state of a device as its owner sees it', publishedOf(fleet.state)),
    'The state of a device, retained',
  ),
  retained(
    ...(['mqtt_availability', topics.availability(DEVICE), Availability] as const),
    ...(['Whether a device can be reached, retained', 'text/plain'] as const),
  ),
  published('mqtt_events', topics.events(DEVICE), fleet.event, 'Each event of a device, once'),
  retained(
    ...(['mqtt_owner', topics.owner(DEVICE), Claim] as const),
    'Which server has a device, or wants it, retained',
  ),
  retained(
    ...(['mqtt_label', topics.label(DEVICE), DeviceLabel] as const),
    'The label of a device, the latest of all servers, retained',
  ),
  retained('mqtt_owned', topics.owned, OwnedDevices, 'The devices of a server, retained'),
  published('mqtt_heard', topics.heard, Heard, 'The devices that a server hears, every ten seconds'),
  published('mqtt_signal', topics.signals(DEVICE), Signal, 'Who hears a device that its owner has lost'),
  published('mqtt_asked', topics.asked, Asked, 'Another server asks whether this one is there'),
  published('mqtt_taken', topics.taken, Taken, 'Which server carries out a command to the fleet'),
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
  const connect = commands.filter(({ name }) => name === 'connect');
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
        summary: 'Commands to whichever server has a device, which need not say which device they are for',
      },
      {
        ...{ id: 'mqtt_fleet', address: below(topics.fleetCommands), answeredOn: 'mqtt_fleet_result' },
        commands: connect,
        summary: 'Commands to whichever server has a device, else to the one that hears it best',
      },
    ],
    answering: [
      {
        ...{ id: 'mqtt_result', address: topics.result, commands },
        summary: 'The answer to a command without a response topic',
      },
      {
        ...{ id: 'mqtt_fleet_result', address: topics.fleetResult, commands: connect },
        summary: 'The answer to a command to the fleet without a response topic',
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
