/**
 * The network contract of the dice server: a row for each request, and the codecs of all messages. Servers decode
 * requests and encode answers with them, features check with them, and the API documents come from them.
 */
import type * as t from 'io-ts';
import {
  about,
  anyInteger,
  array,
  atLeastOne,
  literal,
  union,
  boolean,
  deviceAddress,
  integer,
  named,
  nullable,
  numberInText,
  object,
  objectWith,
  oneOf,
  text,
} from '../codecs/index.js';
import {
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
  ON_CONNECT,
  ON_CONNECTION,
  ON_RADIO,
  resuming,
  StoreHealth,
  socket,
  stamp,
  type Contract,
  type TypesOf,
} from '../contract/index.js';
import { LED_SELECTORS, RESTS, ROLL_ENDINGS, TAPS } from '../protocols/dice-values.js';
import { recordEndpoints } from './contract-records.js';
import { DetailedStatus, ledFields, ofSession, Status, tapsFields } from './contract-status.js';
import {
  DiceType,
  AnyDiceType,
  Colour,
  axes,
  Acceleration,
  level,
  DiscoveredDevice,
} from './contract-values.js';

export { ErrorBody } from '../contract/index.js';
export * from './contract-records.js';
export * from './contract-status.js';
export * from './contract-values.js';
/** The range of the duration of a scan, seconds. */
const SCAN_SECS = { min: 0.1, max: 600 } as const;

export const ConnectRequest = objectWith(
  { address: deviceAddress },
  {
    dice_type: DiceType,
  },
);
export type ConnectRequest = t.TypeOf<typeof ConnectRequest>;

const SessionRequest = object(ofSession);

const LedRequest = atLeastOne(ofSession, ledFields);

/** A pulse; its times are milliseconds. */
const pulse = {
  ...ofSession,
  count: about('Blinks; 255 goes on until the LEDs are set', integer(1, 255)),
  on_ms: about('Milliseconds; GoDice count steps of 10 in one byte', integer(0, 2550, 10)),
  off_ms: about('Milliseconds; GoDice count steps of 10 in one byte', integer(0, 2550, 10)),
  color: about('RRGGBB', Colour),
};
const leds = named('LedSelector', 'The LEDs that pulse; `both` unless given', oneOf(LED_SELECTORS));

const TapsRequest = atLeastOne(ofSession, tapsFields);

/** An event of a die for clients without `?detail=full`. */
export const DiceEvent = union(
  [
    named(
      'Stable',
      'The die came to rest; `kind` says how; `acceleration` in counts of each axis, 64 for 1 g, null for dice that do not report it',
      object({
        kind: about('How: level, tilted, after a fake roll, or moved by hand', oneOf(RESTS)),
        face: about('The face that is up', anyInteger),
        acceleration: about('Null for dice that do not report it', nullable(Acceleration)),
      }),
    ),
    named(
      'Charging',
      'Charging began or ended',
      object({ kind: oneOf(['Charging']), charging: about('Whether it charges now', boolean) }),
    ),
    named('BatteryLevel', 'The level, per cent', object({ kind: oneOf(['BatteryLevel']), level })),
    named(
      'Happened',
      'A roll began, the die was tapped, or its connection was lost or restored',
      object({ kind: about('The event', oneOf(['RollStart', ...TAPS, 'Disconnected', 'Reconnected'])) }),
    ),
  ],
  'a die event',
);
export type DiceEvent = t.TypeOf<typeof DiceEvent>;

/** An event of a die for clients with `?detail=full`. */
export const DetailedDiceEvent = detailed(DiceEvent, { ...ofSession, address: deviceAddress });
export type DetailedDiceEvent = t.TypeOf<typeof DetailedDiceEvent>;

/** An event with its position, after which nothing is missing. */
export const EventsMissed = named(
  'EventsMissed',
  'For a client that comes back: missed events are no longer kept; `to` is null after a restart',
  object({ kind: oneOf(['EventsMissed']), ...missed, ...stamp }),
);

/** `full`: with the fields that the interface document does not have. */
const detail = {
  detail: about('`full` adds the fields of this package to those of the interface document', oneOf(['full'])),
};

const post = { method: 'POST' } as const;
const get = { method: 'GET' } as const;

/** The errors of any request to a connected die. */
const OF_DIE = ['session_not_found', ...ON_CONNECTION] as const;

export const endpoints = {
  scan: endpoint({
    ...post,
    path: '/api/scan',
    subject: 'Connections',
    access: 'read',
    summary: 'Lists the dice that advertise, the strongest signal first',
    query: {
      duration_secs: about(
        'How long to listen, seconds; `--scan-secs` of the server unless given',
        numberInText(SCAN_SECS.min, SCAN_SECS.max),
      ),
      ...detail,
    },
    response: array(DiscoveredDevice, 'an array of devices'),
    fails: ON_RADIO,
  }),
  connect: endpoint({
    ...post,
    path: '/api/connect',
    subject: 'Connections',
    summary: 'Connects a die, and stays connected through losses',
    body: ConnectRequest,
    response: object(ofSession),
    fails: [...ON_CONNECT, 'not_a_die', 'wrong_dice_type'],
  }),
  disconnect: endpoint({
    ...post,
    path: '/api/disconnect',
    subject: 'Connections',
    summary: 'Disconnects a die and ends its session',
    body: SessionRequest,
    response: object({ ...ofSession, disconnected: literal(true) }),
    fails: ['session_not_found'],
  }),
  led: endpoint({
    ...post,
    path: '/api/led',
    subject: 'LEDs',
    summary: 'Sets the LEDs; an LED that is left out stays as it is',
    body: LedRequest,
    response: object({ ...ofSession, ...ledFields }),
    fails: [...OF_DIE, 'not_supported'],
  }),
  pulse: endpoint({
    ...post,
    path: '/api/pulse',
    subject: 'LEDs',
    summary: 'Makes the LEDs pulse',
    body: objectWith(pulse, { leds }),
    response: object({ ...pulse, leds }),
    fails: [...OF_DIE, 'not_supported'],
  }),
  taps: endpoint({
    ...post,
    path: '/api/taps',
    subject: 'Die',
    summary: 'Switches the events of taps on and off; a field that is left out stays as it is',
    body: TapsRequest,
    response: object({ ...ofSession, ...tapsFields }),
    fails: [...OF_DIE, 'not_supported'],
  }),
  calibrate: endpoint({
    ...post,
    path: '/api/calibrate',
    subject: 'Die',
    summary: 'Calibrates a die that lies level; `offset` is added to each axis from then on, counts',
    body: SessionRequest,
    response: object({
      ...ofSession,
      face: about('The face that it lies on', anyInteger),
      offset: named('Offset', 'Added to each axis from now on', object(axes)),
    }),
    fails: [...OF_DIE, 'calibration_failed', 'not_supported'],
  }),
  battery: endpoint({
    ...get,
    path: '/api/battery/:session_id',
    subject: 'Die',
    summary: 'Reads the battery level of the die, per cent',
    params: ofSession,
    response: object({ ...ofSession, battery_level: level }),
    fails: [...OF_DIE, 'answer_timeout'],
  }),
  status: endpoint({
    ...get,
    path: '/api/status/:session_id',
    subject: 'Connections',
    summary: 'Returns the known state of a die, connected or not',
    params: ofSession,
    query: detail,
    response: Status,
    fails: ['session_not_found'],
  }),
  sessions: endpoint({
    ...get,
    path: '/api/sessions',
    subject: 'Connections',
    summary: 'Lists the sessions',
    response: array(DetailedStatus, 'an array of status records'),
  }),
  ...recordEndpoints,
};
export type Endpoints = TypesOf<typeof endpoints>;

/** A roll of a simulated die: the fields of the action `roll` of the control API, which checks them. */
export const RollRequest = objectWith(
  {},
  {
    die: about(
      'The shell whose face it is; unless given, the type of the die, or `d6` while that is not known',
      AnyDiceType,
    ),
    face: about('The face that is up at the end; random unless given', anyInteger),
    acceleration: about('How a GoDice comes to rest, in place of `die` and `face`', Acceleration),
    ending: about('How it comes to rest, `stable` unless given', oneOf(ROLL_ENDINGS)),
    roll_ms: about('How long it rolls, milliseconds; 1000 unless given', integer(0, 3_600_000)),
  },
);
export type RollRequest = t.TypeOf<typeof RollRequest>;

/** The endpoints of a server with a simulator alone (`--simulator`). */
export const simulatedEndpoints = {
  roll: endpoint({
    ...post,
    path: '/api/dice/:address/roll',
    subject: 'Die',
    summary: 'Rolls a simulated die, connected or not',
    params: { address: deviceAddress },
    body: RollRequest,
    response: object({
      address: deviceAddress,
      rolled: literal(true),
    }),
    fails: ['unknown_device', 'simulator_failed'],
  }),
};
export type SimulatedEndpoints = TypesOf<typeof simulatedEndpoints>;

export const health = healthEndpoints({
  adapter: about('The state of the Bluetooth adapter; `poweredOn` where it can be used', text),
  problem: about('Why no device can be reached, and the remedy; null while `status` is `ok`', nullable(text)),
  sessions: about('Dice with a session, connected or not', anyInteger),
  listeners: about('Clients of the WebSocket', anyInteger),
  seq: about('The number of the newest event', anyInteger),
  instance: about('The id of this run of the server', text),
  mqtt: about('The connection to the broker; `off`: there is none', oneOf(MQTT_STATES)),
  home_assistant: about('Whether the devices are announced to Home Assistant', boolean),
  store: StoreHealth,
  simulator: about('Whether the server rolls simulated dice: `POST /api/dice/:address/roll`', boolean),
  pages: about('Pages of the rig that the server belongs to; null without a rig', nullable(Pages)),
});

export const events = socket({
  path: '/ws',
  summary: 'The events of all dice, or of the sessions that are named',
  query: {
    ...detail,
    session_id: about('Only events of these sessions; of all unless given', array(text, 'session ids')),
    ...resuming,
  },
  events: [DiceEvent, DetailedDiceEvent, EventsMissed],
  fails: ['session_not_found'],
});

export const contract: Contract = {
  name: 'dice',
  title: 'airbench dice server',
  summary:
    'Smart dice, GoDice and Pixels, on the network: connect them, set their LEDs, receive their rolls.',
  endpoints: {
    ...{ ...endpoints, ...health, ...aboutEndpoints, ...radioEndpoints },
    ...{ ...metricsEndpoints, ...logEndpoints, ...documentEndpoints },
  },
  sockets: [events],
  fleet: {
    ...{ state: DetailedStatus, event: DetailedDiceEvent, identity: ['session_id', 'address'] },
    ...{ endpoints, commands: {} },
  },
};

/** The contract of a server with a simulator. */
export const simulatedContract: Contract = {
  ...contract,
  endpoints: { ...contract.endpoints, ...simulatedEndpoints },
};
