/**
 * The network contract of the clock server: a row for each command and each endpoint of REST, and the codecs of all
 * messages. Servers decode requests and encode answers with them, features check with them, and the API documents come
 * from them.
 */
import type { Json } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import {
  about,
  anyInteger,
  anything,
  array,
  literal,
  union,
  type Fields,
  boolean,
  integer,
  nullable,
  number,
  object,
  atLeastOne,
  objectWith,
  oneOf,
  named,
  text,
  type Codec,
} from '../codecs/index.js';
import {
  answeredId,
  command,
  detailed,
  documentEndpoints,
  endpoint,
  healthEndpoints,
  logEndpoints,
  aboutEndpoints,
  radioEndpoints,
  metricsEndpoints,
  missed,
  MQTT_STATES,
  Pages,
  namesOf,
  ON_CONNECT,
  ON_RADIO,
  resuming,
  socket,
  stamp,
  StoreHealth,
  type AnyCommand,
  type Contract,
  type TypesOf,
} from '../contract/index.js';
import { recordEndpoints, recordRequests } from './contract-records.js';
import {
  alarmFields,
  base64,
  address,
  slot,
  volume,
  rssi,
  brightness,
  level,
  ringtone,
  name,
  batteryOrNull,
  Alarm,
  Alarms,
  alarmChange,
  Settings,
  SettingsChange,
  reading,
  Sensors,
  DiscoveredClock,
  BatteryAnswer,
  FirmwareAnswer,
  Device,
  State,
} from './contract-values.js';

export { ErrorBody } from '../contract/index.js';
export * from './contract-records.js';
export * from './contract-values.js';

const ofClock = object({ address });

/** The most bytes of a file in one message. */
export const MAX_PIECE = 32 * 1024;

/** The errors of any request to a clock. */
const ON_REQUEST = [...ON_CONNECT, 'auth_failed', 'token_store', 'answer_timeout', 'bad_answer'] as const;
const ON_COMMAND = [...ON_REQUEST, 'command_refused'] as const;

/** The requests of a client, by any transport. */
export const requests = {
  scan: command({
    summary: 'Lists the clocks that advertise, the strongest signal first',
    access: 'read',
    parameters: object({ duration_secs: about('How long to listen, seconds', number(1, 600)) }),
    response: array(DiscoveredClock, 'an array of clocks'),
    fails: [...ON_RADIO, 'too_many_requests'],
  }),
  connect: command({
    summary: 'Connects a clock and stays connected; `paired`: it was bound to this server',
    parameters: ofClock,
    response: object({
      address,
      connected: literal(true),
      paired: about('Whether it has just been bound to this server', boolean),
    }),
    fails: [...ON_REQUEST, 'not_a_clock'],
  }),
  disconnect: command({
    summary: 'Disconnects a clock and ends its session',
    parameters: ofClock,
    response: object({ address, disconnected: literal(true) }),
    fails: ['not_connected'],
  }),
  sync_time: command({
    summary: 'Sets the time of the clock to that of the server; ISO 8601, UTC',
    parameters: ofClock,
    response: object({ address, time: about('ISO 8601, UTC', text) }),
    acknowledged: true,
    fails: ON_COMMAND,
  }),
  read_alarms: command({
    summary: 'Lists the alarms',
    access: 'read',
    parameters: ofClock,
    response: Alarms,
    fails: ON_COMMAND,
  }),
  set_alarm: command({
    summary: 'Sets the alarm of a slot',
    parameters: object({ address, ...alarmFields }),
    response: Alarm,
    acknowledged: true,
    changes: ['alarms'],
    fails: ON_COMMAND,
  }),
  change_alarm: command({
    summary: 'Changes the alarm of a slot; fields that are left out stay as they are',
    parameters: atLeastOne({ address, slot }, alarmChange),
    response: Alarm,
    acknowledged: true,
    changes: ['alarms'],
    fails: ON_COMMAND,
  }),
  delete_alarm: command({
    summary: 'Deletes the alarm of a slot',
    parameters: object({ address, slot }),
    response: object({ address, slot, deleted: literal(true) }),
    acknowledged: true,
    changes: ['alarms'],
    fails: ON_COMMAND,
  }),
  read_settings: command({
    summary: 'Reads the settings',
    access: 'read',
    parameters: ofClock,
    response: Settings,
    fails: ON_COMMAND,
  }),
  write_settings: command({
    summary: 'Changes settings; settings that are left out stay as they are',
    parameters: object({ address, settings: SettingsChange }),
    response: Settings,
    acknowledged: true,
    changes: ['settings'],
    fails: ON_COMMAND,
  }),
  set_brightness: command({
    summary: 'Sets the brightness of the display, per cent, until the clock changes it by itself',
    parameters: object({ address, value: brightness }),
    response: object({ address, brightness }),
    acknowledged: true,
    fails: ON_COMMAND,
  }),
  preview_ringtone: command({
    summary: 'Plays the tone, at the volume of the settings unless `volume` is given',
    parameters: objectWith({ address }, { volume }),
    response: object({ address, previewing: literal(true) }),
    acknowledged: true,
    fails: ON_COMMAND,
  }),
  read_firmware: command({
    summary: 'Reads the version of the firmware',
    access: 'read',
    parameters: ofClock,
    response: FirmwareAnswer,
    fails: ON_COMMAND,
  }),
  read_battery: command({
    summary: 'Reads the battery level',
    access: 'read',
    parameters: ofClock,
    response: BatteryAnswer,
    fails: ON_REQUEST,
  }),
  ...recordRequests,
};

/** Commands that need the connection of a client. */
const onConnection = {
  subscribe_events: command({
    summary: 'Sends the events of a clock to this connection',
    access: 'read',
    parameters: ofClock,
    response: object({ address, subscribed: literal(true) }),
    fails: ['not_connected'],
  }),
  unsubscribe_events: command({
    summary: 'Stops sending the events of a clock to this connection',
    access: 'read',
    parameters: ofClock,
    response: object({ address, subscribed: literal(false) }),
  }),
  upload_ringtone: command({
    summary: 'Uploads a tone, piece by piece; the last piece is answered when the clock has the whole tone',
    parameters: objectWith(
      {
        address,
        offset: about('Bytes sent before this piece', integer(0, Number.MAX_SAFE_INTEGER)),
        data: about('The bytes of this piece, at most 32 KiB, base64', base64(MAX_PIECE)),
        last: about('Whether the file is complete with this piece', boolean),
      },
      {
        format: about(
          'The format of the whole file, required with the first piece; `pcm_u8_8k`: bytes, 8,000 per second',
          oneOf(['wav', 'pcm_u8_8k']),
        ),
      },
    ),
    response: object({
      address,
      received: about('Bytes of the file so far', anyInteger),
      ringtone: about('The signature of the tone; null until it is in use', nullable(ringtone)),
    }),
    acknowledged: true,
    changes: ['settings'],
    fails: [...ON_COMMAND, 'bad_tone', 'mtu_too_small'],
  }),
};

export const commands = { ...requests, ...onConnection };

/** The readings that a clock sends only on request. */
export const POLLED_FIELDS = ['settings', 'alarms', 'firmware'] as const;
export type PolledField = (typeof POLLED_FIELDS)[number];

export type Requests = TypesOf<typeof requests>;
export type Commands = TypesOf<typeof commands>;
export type CommandName = keyof Commands;
const commandName = namesOf(commands);

/** The id of a request, decoded before its command, so that errors of the command have the id. */
export const RequestId = object({ id: anyInteger });

/** An answer; `result` or `error` is null. The id of an answer to an unreadable request is 0. */
export const Response = object({ id: answeredId, result: anything, error: nullable(text) });
const failure = {
  id: about('The id of the request; 0 if it could not be read', anyInteger),
  result: literal(null),
  error: about('A message for people', text),
};
const Failure = named('failure', 'The reason why a command failed', object(failure));
/** The answer with an error for clients with `?detail=full`, which has a code too. */
export const DetailedError = named(
  'detailed_failure',
  'The reason why a command failed, with `detail=full`',
  object({ ...failure, code: about('The error code, for programs', text) }),
);

const event = <const N extends string, F extends Fields>(name: N, summary: string, data: F) =>
  named(name, summary, object({ event: oneOf([name]), data: object(data) }));

/** An event for clients without `?detail=full`. */
export const ClockEvent = union(
  [
    event('sensor_update', 'The clock measured: degrees Celsius and per cent of humidity', reading),
    event('battery_level', 'The level of the battery, per cent', { level }),
    event('disconnected', 'The connection was lost', {}),
    event('reconnected', 'The clock is connected again', {}),
    event('ack', 'The outcome of a command of any client', {
      command: about('The name of the command', commandName),
      status: about('The result of the command', oneOf(['success', 'failure'])),
    }),
    event('advertisement', 'An advertisement with a reading', {
      address,
      name,
      rssi,
      ...reading,
      battery: batteryOrNull,
    }),
    event('upload_progress', 'How many bytes of audio the clock has', {
      sent: about('Bytes of audio that the clock has acknowledged', anyInteger),
      total: about('Bytes of audio in all', anyInteger),
    }),
  ],
  'a clock event',
);
export type ClockEvent = t.TypeOf<typeof ClockEvent>;

/** An event for clients with `?detail=full`. */
export const DetailedClockEvent = detailed(ClockEvent, { address });
export type DetailedClockEvent = t.TypeOf<typeof DetailedClockEvent>;

/** An event with its position, after which nothing is missing. */
export const EventsMissed = named(
  'events_missed',
  'For a client that comes back: missed events are no longer kept; `to` is null after a restart',
  object({ event: oneOf(['events_missed']), data: object(missed), ...stamp }),
);

export const stream = socket({
  path: '/ws',
  summary: 'Commands, each answered with its id, and the events of the clocks that were subscribed to',
  query: {
    detail: about(
      '`full` adds the fields of this package to those of the interface document',
      oneOf(['full']),
    ),
    address: about('Subscribes to these clocks at once', array(address, 'device addresses')),
    ...resuming,
  },
  commands,
  errors: [Failure, DetailedError],
  events: [ClockEvent, DetailedClockEvent, EventsMissed],
  fails: ['not_connected'],
});

/** An endpoint that reads a part of a clock, with the summary, response and errors of a command. */
const read = <A>(
  name: string,
  { summary, response, fails }: AnyCommand & { readonly response: Codec<A, Json> },
) =>
  endpoint({
    method: 'GET',
    path: `/api/devices/:address/${name}`,
    subject: 'Clocks',
    summary,
    params: { address },
    response,
    fails,
  });

export const endpoints = {
  devices: endpoint({
    method: 'GET',
    path: '/api/devices',
    subject: 'Clocks',
    summary: 'Lists the clocks that are connected',
    response: array(Device, 'an array of devices'),
  }),
  sensors: endpoint({
    method: 'GET',
    path: '/api/devices/:address/sensors',
    subject: 'Clocks',
    summary: 'Returns the latest reading',
    params: { address },
    response: Sensors,
    fails: [...ON_REQUEST, 'no_reading'],
  }),
  battery: read('battery', commands.read_battery),
  firmware: read('firmware', commands.read_firmware),
  alarms: read('alarms', commands.read_alarms),
  settings: read('settings', commands.read_settings),
  ...recordEndpoints,
};

export type Endpoints = TypesOf<typeof endpoints>;

export const health = healthEndpoints({
  adapter: about('The state of the Bluetooth adapter; `poweredOn` where it can be used', text),
  problem: about('Why no device can be reached, and the remedy; null while `status` is `ok`', nullable(text)),
  clocks: about('Clocks that are connected', anyInteger),
  listeners: about('Clients of the WebSocket', anyInteger),
  seq: about('The number of the newest event', anyInteger),
  instance: about('The id of this run of the server', text),
  mqtt: about('The connection to the broker; `off`: there is none', oneOf(MQTT_STATES)),
  home_assistant: about('Whether the devices are announced to Home Assistant', boolean),
  store: StoreHealth,
  pages: about('Pages of the rig that the server belongs to; null without a rig', nullable(Pages)),
});

export const contract: Contract = {
  name: 'clock',
  title: 'airbench clock server',
  summary:
    'Qingping CGD1 alarm clocks on the network: commands and events over a WebSocket, reads over HTTP.',
  endpoints: {
    ...{ ...endpoints, ...health, ...aboutEndpoints, ...radioEndpoints },
    ...{ ...metricsEndpoints, ...logEndpoints, ...documentEndpoints },
  },
  sockets: [stream],
  fleet: { state: State, event: DetailedClockEvent, identity: ['address'], endpoints, commands: requests },
};
