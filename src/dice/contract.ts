/**
 * The network contract of the dice server: every request, answer and event as a codec. Routes decode with them,
 * answers are encoded with them, features check with them.
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import {
  anyInteger,
  array,
  atLeastOne,
  both,
  described,
  literal,
  union,
  boolean,
  deviceAddress,
  integer,
  matching,
  nullable,
  numberInText,
  object,
  objectWith,
  oneOf,
  text,
  withRule,
} from '../codecs/index.js';
import { DICE_TYPES, DIE_COLOURS, LED_SELECTORS, type Rgb } from './protocol/index.js';

export { ErrorBody } from '../http/errors.js';

export const DiceType = oneOf(DICE_TYPES);
export type DiceType = t.TypeOf<typeof DiceType>;

export const DieColour = oneOf(DIE_COLOURS);

/** Seconds. */
const SCAN_SECS = { min: 0.1, max: 600 } as const;

const hexColour = matching(
  'six hex digits RRGGBB, with or without a leading #',
  /^#?[0-9a-fA-F]{6}$/,
  (given) => given.replace('#', '').toUpperCase(),
);

const hexByte = (value: number): string => value.toString(16).padStart(2, '0').toUpperCase();

/** An LED colour: `RRGGBB` with or without `#` and in any case in, `RRGGBB` in upper case out. */
export const Colour = described(
  new t.Type<Rgb, string>(
    hexColour.name,
    (value): value is Rgb =>
      typeof value === 'object' && value !== null && 'r' in value && 'g' in value && 'b' in value,
    (value, context) =>
      pipe(
        hexColour.validate(value, context),
        E.map((hex) => Number.parseInt(hex, 16)),
        E.map((bits) => ({ r: bits >> 16, g: (bits >> 8) & 0xff, b: bits & 0xff })),
      ),
    ({ r, g, b }) => `${hexByte(r)}${hexByte(g)}${hexByte(b)}`,
  ),
  hexColour.schema.takes,
  { type: 'string', pattern: '^[0-9A-F]{6}$' },
);

const Acceleration = object({ x: anyInteger, y: anyInteger, z: anyInteger });

const level = integer(0, 100);

/** `POST /api/scan?duration_secs=`, seconds. */
export const ScanQuery = objectWith({}, { duration_secs: numberInText(SCAN_SECS.min, SCAN_SECS.max) });

/** dBm; null while the adapter cannot tell. */
const rssi = nullable(anyInteger);

export const DiscoveredDevice = object({ address: deviceAddress, name: text, rssi });
export type DiscoveredDevice = t.TypeOf<typeof DiscoveredDevice>;
export const ScanResponse = array(DiscoveredDevice, 'an array of devices');

export const ConnectRequest = objectWith({ address: deviceAddress }, { dice_type: DiceType });
export type ConnectRequest = t.TypeOf<typeof ConnectRequest>;
export const ConnectResponse = object({ session_id: text });

/** The body of disconnect and calibrate. */
export const SessionRequest = object({ session_id: text });
export const DisconnectResponse = object({ session_id: text, disconnected: literal(true) });

export const LedRequest = withRule(
  objectWith({ session_id: text }, { led1: Colour, led2: Colour }),
  ({ led1, led2 }) => led1 !== undefined || led2 !== undefined,
  'led1 and led2 are missing: at least one of them must be given',
  atLeastOne('led1', 'led2'),
);
export const LedResponse = object({ session_id: text, led1: Colour, led2: Colour });

export const BatteryResponse = object({ session_id: text, battery_level: level });

/** Null is what is not known yet. */
export const Status = object({
  session_id: text,
  address: deviceAddress,
  name: nullable(text),
  dice_type: DiceType,
  connected: boolean,
  battery_level: nullable(level),
  color: nullable(DieColour),
  charging: nullable(boolean),
  rssi,
  rolling: boolean,
  face: nullable(anyInteger),
});
export type Status = t.TypeOf<typeof Status>;
export const SessionsResponse = array(Status, 'an array of status records');

/** `offset`: what is added to a measured acceleration, counts, each axis. */
export const CalibrateResponse = object({ session_id: text, face: anyInteger, offset: Acceleration });

/** A `count` of 255 goes on until the LEDs are set; times in milliseconds. */
const pulse = {
  session_id: text,
  count: integer(1, 255),
  on_ms: integer(0, 2550, 10),
  off_ms: integer(0, 2550, 10),
  color: Colour,
};
const leds = oneOf(LED_SELECTORS);
export const PulseRequest = objectWith(pulse, { leds });
export const PulseResponse = object({ ...pulse, leds });

export const TapsRequest = withRule(
  objectWith({ session_id: text }, { single: boolean, double: boolean }),
  (taps) => taps.single !== undefined || taps.double !== undefined,
  'single and double are missing: at least one of them must be given',
  atLeastOne('single', 'double'),
);
export const TapsResponse = object({ session_id: text, single: boolean, double: boolean });

/** `/ws?detail=full`. */
export const StreamQuery = objectWith({}, { detail: oneOf(['full']) });

/** One die event, as the plain stream has it. */
export const DiceEvent = union(
  [
    object({
      kind: oneOf(['Stable', 'TiltStable', 'FakeStable', 'MoveStable']),
      face: anyInteger,
      acceleration: Acceleration,
    }),
    object({ kind: oneOf(['Charging']), charging: boolean }),
    object({ kind: oneOf(['BatteryLevel']), level }),
    object({ kind: oneOf(['RollStart', 'Tap', 'DoubleTap', 'Disconnected', 'Reconnected']) }),
  ],
  'a die event',
);
export type DiceEvent = t.TypeOf<typeof DiceEvent>;

/** One die event, as `?detail=full` has it. */
export const DetailedDiceEvent = both(
  DiceEvent,
  object({
    session_id: text,
    address: deviceAddress,
    /** ISO 8601, UTC. */
    time: text,
    /** Rises by one with every event of the server. */
    seq: anyInteger,
    /** Another one after each start of the server. */
    instance: text,
  }),
  'a die event in full',
);
export type DetailedDiceEvent = t.TypeOf<typeof DetailedDiceEvent>;
