/** The topics of a server on an MQTT broker, and what is said on each, as values. */
import { named, type AnyCodec } from '../codecs/index.js';
import {
  Asked,
  Availability,
  Claim,
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

interface Topic {
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
  /** The codes that it may fail with. */
  readonly fails: readonly FailureCode[];
}

export interface AskedTopic extends Topic {
  readonly commands: readonly FleetCommand[];
  /** The id of the topic of its answers. */
  readonly answeredOn: string;
}

/** Answers to commands that name no response topic. */
export interface AnsweringTopic extends Topic {
  readonly commands: readonly FleetCommand[];
}

export interface FleetTopics {
  readonly published: readonly PublishedTopic[];
  readonly requested: readonly AskedTopic[];
  readonly answering: readonly AnsweringTopic[];
}

/** The codes that any command may fail with. */
const BY_MQTT = [
  'invalid_json',
  'invalid_input',
  'body_too_large',
  'too_many_requests',
  'shutting_down',
  'internal_error',
] as const;

const NONE: FleetTopics = { published: [], requested: [], answering: [] };

const JSON_TYPE = 'application/json';

export const fleetTopicsOf = ({ name: kind, fleet }: Contract): FleetTopics => {
  if (fleet === undefined) return NONE;
  const topics = topicsOf('{prefix}', kind, '{name}');
  const device = '{address}';
  // A command of a WebSocket and a read of REST may have one name: the command counts.
  const rows = Object.entries({ ...fleet.endpoints, ...fleet.commands });

  /** `given`: fields that the topic stands for. */
  const commandsOf = (prefix: string, given: readonly string[]): readonly FleetCommand[] =>
    rows.map(([name, row]) => ({
      ...{ name, summary: row.summary, fails: [...new Set([...row.fails, ...BY_MQTT])] },
      payload: named(`${prefix}${name}`, row.summary, payloadOf(row, given)),
      result: named(`mqtt_${name}_result`, `The answer to \`${name}\``, resultOf(name, row)),
    }));
  const commands = commandsOf('mqtt_', []);
  const isConnect = ({ name }: FleetCommand): boolean => name === 'connect';
  const below = (topic: string): string => `${topic}/{command}`;

  const told = (
    id: string,
    address: string,
    codec: AnyCodec,
    summary: string,
    contentType = JSON_TYPE,
  ): PublishedTopic => ({ id, address, codec, isRetained: false, contentType, summary });
  const retained = (...topic: Parameters<typeof told>): PublishedTopic => ({
    ...told(...topic),
    isRetained: true,
  });

  return {
    published: [
      retained('mqtt_server', topics.server, ServerStatus, 'Whether a server is online, retained'),
      retained(
        'mqtt_server_state',
        topics.serverState,
        ServerState,
        'How many devices a server has, retained',
      ),
      retained(
        ...(['mqtt_state', topics.state(device)] as const),
        named('DeviceState', 'What its owner knows of a device', publishedOf(fleet.state)),
        'What is known of a device, retained',
      ),
      retained(
        ...(['mqtt_availability', topics.availability(device), Availability] as const),
        ...(['Whether a device can be reached, retained', 'text/plain'] as const),
      ),
      told('mqtt_events', topics.events(device), fleet.event, 'Each event of a device, once'),
      retained(
        ...(['mqtt_owner', topics.owner(device), Claim] as const),
        'Which server has a device, or wants it, retained',
      ),
      retained('mqtt_owned', topics.owned, OwnedDevices, 'The devices of a server, retained'),
      told('mqtt_heard', topics.heard, Heard, 'What a server hears, every ten seconds'),
      told('mqtt_signal', topics.signals(device), Signal, 'Who hears a device that its owner has lost'),
      told('mqtt_asked', topics.asked, Asked, 'Another server asks whether this one is there'),
      told('mqtt_taken', topics.taken, Taken, 'Which server carries out a command to the fleet'),
    ],
    requested: [
      {
        ...{ id: 'mqtt_commands', address: below(topics.commands), commands, answeredOn: 'mqtt_result' },
        summary: 'Commands to a server; one that is retained is ignored',
      },
      {
        ...{ id: 'mqtt_device', address: below(topics.deviceCommands(device)), answeredOn: 'mqtt_result' },
        commands: commandsOf('mqtt_device_', fleet.identity),
        summary: 'Commands to whichever server has a device, which need not say which device they are for',
      },
      {
        ...{ id: 'mqtt_fleet', address: below(topics.fleetCommands), answeredOn: 'mqtt_fleet_result' },
        commands: commands.filter(isConnect),
        summary: 'Commands to whichever server has a device, else to the one that hears it best',
      },
    ],
    answering: [
      {
        ...{ id: 'mqtt_result', address: topics.result, commands },
        summary: 'What answers a command that names no response topic',
      },
      {
        ...{ id: 'mqtt_fleet_result', address: topics.fleetResult, commands: commands.filter(isConnect) },
        summary: 'What answers a command to the fleet that names no response topic',
      },
    ],
  };
};

/** The codecs of what is taken, and of what is given. */
export const takenByFleet = ({ requested: asked }: FleetTopics): readonly AnyCodec[] =>
  asked.flatMap(({ commands }) => commands.map(({ payload }) => payload));

export const givenByFleet = ({ published: told, answering }: FleetTopics): readonly AnyCodec[] => [
  ...told.map(({ codec }) => codec),
  ...answering.flatMap(({ commands }) => [...commands.map(({ result }) => result), FleetFailure]),
];
