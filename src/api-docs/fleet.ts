/** The topics of a server on an MQTT broker, and the messages on each, as parts of AsyncAPI 3.0. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { AnyCodec } from '../codecs/index.js';
import {
  Availability,
  FleetFailure,
  payloadOf,
  resultOf,
  ServerStatus,
  type AnyCommand,
  type AnyEndpoint,
  type Contract,
  type FleetContract,
} from '../contract/index.js';
import { topicsOf } from '../mqtt/topics.js';
import type { Components } from './components.js';
import { failureList, plain } from './markdown.js';

const PARAMETERS = {
  prefix: { description: 'As `--mqtt-prefix` has it', default: 'airbench' },
  name: { description: 'Of the server, as `--name` has it' },
  address: { description: 'Of the device', examples: ['D1:CE:00:00:00:01'] },
  command: { description: 'A row of the contract' },
};

const RETAINED = { mqtt: { qos: 1, retain: true, bindingVersion: '0.2.0' } };
const SENT_ONCE = { mqtt: { qos: 1, retain: false, bindingVersion: '0.2.0' } };

/** The codes that any command may fail with. */
const BY_MQTT = [
  'invalid_json',
  'invalid_input',
  'body_too_large',
  'too_many_requests',
  'shutting_down',
  'internal_error',
] as const;

type Rows = readonly (readonly [name: string, row: AnyEndpoint | AnyCommand])[];

/** A command of a WebSocket and a read of REST may have one name: the command counts. */
const rowsOf = ({ endpoints, commands }: FleetContract): Rows =>
  Object.entries({ ...endpoints, ...commands });

/** The codecs of what is taken, and of what is given. */
export const takenByFleet = (fleet: FleetContract): readonly AnyCodec[] =>
  rowsOf(fleet).map(([, row]) => payloadOf(row));

export const givenByFleet = (fleet: FleetContract): readonly AnyCodec[] => [
  ...[ServerStatus, Availability, fleet.state, fleet.event, FleetFailure],
  ...rowsOf(fleet).map(([name, row]) => resultOf(name, row)),
];

export interface FleetParts {
  readonly channels: JsonRecord;
  readonly operations: JsonRecord;
}

const messageIn = (channel: string, message: string): JsonRecord => ({
  $ref: `#/channels/${channel}/messages/${message}`,
});

const parametersIn = (address: string): JsonRecord =>
  Object.fromEntries(Object.entries(PARAMETERS).filter(([name]) => address.includes(`{${name}}`)));

export const fleetParts = (
  { name: kind }: Contract,
  fleet: FleetContract,
  { takes, gives }: Components,
): FleetParts => {
  const topics = topicsOf('{prefix}', kind, '{name}');
  const rows = rowsOf(fleet);

  const channel = (address: string, summary: string, messages: JsonRecord): JsonRecord => ({
    ...{ address, summary: plain(summary), parameters: parametersIn(address), messages },
    bindings: { mqtt: {} },
  });

  const told = (
    id: string,
    address: string,
    summary: string,
    codec: AnyCodec,
    bindings: JsonRecord,
    contentType = 'application/json',
  ): FleetParts => ({
    channels: {
      [id]: channel(address, summary, { [id]: { name: id, contentType, payload: gives(codec) } }),
    },
    operations: {
      [id]: { action: 'send', channel: { $ref: `#/channels/${id}` }, summary: plain(summary), bindings },
    },
  });

  const failed = { name: 'mqtt_failed', payload: gives(FleetFailure) };
  const results: FleetParts = {
    channels: {
      mqtt_result: channel(topics.result, 'What answers a command that names no response topic', {
        ...Object.fromEntries(
          rows.map(([name, row]) => [`${name}_done`, { name, payload: gives(resultOf(name, row)) }]),
        ),
        failed,
      }),
    },
    operations: {},
  };

  /** Commands to a server, or to whichever server has a device. */
  const asked = (id: string, topic: string, summary: string): FleetParts => ({
    channels: {
      [id]: channel(
        `${topic}/{command}`,
        summary,
        Object.fromEntries(rows.map(([name, row]) => [name, { name, payload: takes(payloadOf(row)) }])),
      ),
    },
    operations: Object.fromEntries(
      rows.map(([name, row]) => [
        `${id}_${name}`,
        {
          action: 'receive',
          channel: { $ref: `#/channels/${id}` },
          summary: plain(row.summary),
          description: `It may fail with one of these codes:\n\n${failureList([
            ...new Set([...row.fails, ...BY_MQTT]),
          ])}`,
          messages: [messageIn(id, name)],
          reply: {
            address: {
              location: '$message.header#/responseTopic',
              description: 'MQTT 5, with the correlation data of the request; else the topic of the channel',
            },
            channel: { $ref: '#/channels/mqtt_result' },
            messages: [messageIn('mqtt_result', `${name}_done`), messageIn('mqtt_result', 'failed')],
          },
          bindings: SENT_ONCE,
        },
      ]),
    ),
  });

  const address = '{address}';
  const parts = [
    told('mqtt_server', topics.server, 'Whether a server is online, retained', ServerStatus, RETAINED),
    told('mqtt_state', topics.state(address), 'What is known of a device, retained', fleet.state, RETAINED),
    told(
      ...(['mqtt_availability', topics.availability(address)] as const),
      ...(['Whether a device can be reached, retained', Availability, RETAINED, 'text/plain'] as const),
    ),
    told('mqtt_events', topics.events(address), 'Each event of a device, once', fleet.event, SENT_ONCE),
    results,
    asked('mqtt_commands', topics.commands, 'Commands to a server; one that is retained is ignored'),
    asked(
      'mqtt_device',
      topics.deviceCommands(address),
      'Commands to whichever server has a device, which need not say which device they are for',
    ),
  ];
  return parts.reduce((all, { channels, operations }) => ({
    channels: { ...all.channels, ...channels },
    operations: { ...all.operations, ...operations },
  }));
};
