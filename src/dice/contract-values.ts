/** Values of the contract: colours, accelerations, and the dice that a scan finds. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { hexByte } from '../bytes/index.js';
import {
  about,
  anyInteger,
  array,
  described,
  union,
  boolean,
  deviceAddress,
  integer,
  matching,
  named,
  nullable,
  object,
  objectWith,
  oneOf,
  text,
} from '../codecs/index.js';
import { label } from '../contract/index.js';
import { ALL_DICE_TYPES, DICE_TYPES, DIE_COLOURS, type Rgb } from '../protocols/dice-values.js';

export const DiceType = named(
  'DiceType',
  'The shell of a die that does not report its type; `d6` unless a client names another',
  oneOf(DICE_TYPES),
);
export type DiceType = t.TypeOf<typeof DiceType>;

/** The shells that clients name, and types that only dice themselves report. */
export const AnyDiceType = named(
  'AnyDiceType',
  'The type of a die: the type that it reports, or the shell that clients named',
  oneOf(ALL_DICE_TYPES),
);
export type AnyDiceType = t.TypeOf<typeof AnyDiceType>;

export const DieColour = named('DieColour', 'The colour of the body of a die', oneOf(DIE_COLOURS));

const hexColour = matching(
  'six hex digits RRGGBB, with or without a leading #',
  /^#?[0-9a-fA-F]{6}$/,
  (digits) => digits.replace('#', '').toUpperCase(),
);

/** An LED colour: decodes `RRGGBB` in upper or lower case, with or without `#`; encodes `RRGGBB` in upper case. */
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
  hexColour.schema.input,
  { type: 'string', pattern: '^[0-9A-F]{6}$' },
);

const axis = about('Counts: 64 for 1 g, -128 to 127', anyInteger);
export const axes = { x: axis, y: axis, z: axis };
export const Acceleration = named(
  'Acceleration',
  'The acceleration of a die, which shows its position at rest',
  object(axes),
);

/** The position of a die: the acceleration that it measured, or the face that it reports. */
export const Position = union(
  [object({ acceleration: Acceleration }), object({ face: anyInteger })],
  'an acceleration or a face',
);

export const level = about('Per cent', integer(0, 100));

export const rssi = about(
  'Signal strength, dBm; null while the adapter does not know it',
  nullable(anyInteger),
);

export const maker = about('`GoDice` or `Pixels`', text);

export const DiscoveredDevice = named(
  'DiscoveredDevice',
  'A die that advertises; `rssi` in dBm. With `?detail=full` also its advertised state, null if it does not report it',
  objectWith(
    {
      address: deviceAddress,
      name: about('The name that it advertises; empty if none was received', text),
      rssi,
    },
    {
      label,
      maker,
      dice_type: about('The type of the die; null if it does not report it', nullable(AnyDiceType)),
      color: about('The colour of the body; null if the die does not report it', nullable(DieColour)),
      battery_level: about('Per cent; null if the die does not report it', nullable(level)),
      charging: about('Null if the die does not report it', nullable(boolean)),
      rolling: about('Null if the die does not report it', nullable(boolean)),
      face: about('The face that is up; null if the die does not report it', nullable(anyInteger)),
    },
  ),
);
export type DiscoveredDevice = t.TypeOf<typeof DiscoveredDevice>;
export const ScanResponse = array(DiscoveredDevice, 'an array of devices');
