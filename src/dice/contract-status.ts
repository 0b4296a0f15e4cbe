/** The status of a die, as answers and messages have it. */
import type * as t from 'io-ts';
import {
  about,
  anyInteger,
  array,
  boolean,
  deviceAddress,
  named,
  nullable,
  object,
  objectWith,
  oneOf,
  text,
} from '../codecs/index.js';
import { label } from '../contract/index.js';
import { CAPABILITIES } from '../protocols/dice-values.js';
import { AnyDiceType, Colour, DieColour, level, maker, rssi } from './contract-values.js';

/** In the body of `disconnect` and `calibrate`, and in the path of `battery` and `status`. */
export const ofSession = {
  session_id: about('The id from the answer of `connect`; valid until the session ends', text),
};
export const ledFields = {
  led1: about('RRGGBB; 000000 is dark', Colour),
  led2: about('RRGGBB; 000000 is dark; refused by dice that have `led1` alone', Colour),
};

export const tapsFields = {
  single: about('Whether single taps are events', boolean),
  double: about('Whether double taps are events', boolean),
};

export const Leds = named(
  'Leds',
  'The colours of both LEDs; 000000 for an LED that a die lacks',
  object(ledFields),
);
export const Taps = named('Taps', 'The taps that a die reports', object(tapsFields));

const statusFields = {
  ...ofSession,
  address: deviceAddress,
  name: about('The name that it advertises; null if none was received', nullable(text)),
  dice_type: AnyDiceType,
  connected: about('False during a loss of its link, while the server reconnects', boolean),
  battery_level: about('Per cent; null until it is known', nullable(level)),
  color: about('The colour of the body; null until it is known', nullable(DieColour)),
  charging: about('Null until it is known', nullable(boolean)),
  rssi,
  rolling: about('Whether it moves; false during a loss of its link', boolean),
  face: about(
    'The face that is up: 1 to the number of sides, 0 to 9 of a `d10`, 0 to 90 of a `d10x`, -1 to 1 of a `fudge`; null while it moves or is not known',
    nullable(anyInteger),
  ),
};
const Capability = named('Capability', 'A request that a die supports, or an LED', oneOf(CAPABILITIES));

/** Fields of a die that the interface document does not have. */
const detailFields = {
  label,
  maker,
  capabilities: about(
    'The requests that it supports, and its LEDs; other requests are answered with `not_supported`',
    array(Capability, 'an array of capabilities'),
  ),
  leds: about('The colours as last set; null until a client sets them', nullable(Leds)),
  taps: about('The taps that it reports, as last set; null until a client sets them', nullable(Taps)),
  lost_until: about(
    'When the server gives up a lost die, ISO 8601, UTC; null while it has a link, or without a limit',
    nullable(text),
  ),
};

export const Status = named(
  'Status',
  'The known state of a die; null: not known yet; `label`, `maker`, `capabilities`, `leds`, `taps` and `lost_until` with `?detail=full` only',
  objectWith(statusFields, detailFields),
);
export type Status = t.TypeOf<typeof Status>;

export const DetailedStatus = named(
  'DetailedStatus',
  'The known state of a die; null: not known yet',
  object({ ...statusFields, ...detailFields }),
);
export type DetailedStatus = t.TypeOf<typeof DetailedStatus>;
