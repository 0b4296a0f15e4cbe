/** Bodies of the control API for a die. */
import * as E from 'fp-ts/lib/Either.js';
import { DIE_COLOURS, NUS_NOTIFY } from '../../../src/protocols/godice/index.js';
import { DICE_TYPES, ROLL_ENDINGS } from '../../../src/protocols/dice-values.js';
import * as codecs from '../../../src/codecs/index.js';
import { asleep, charging, commonActions, ending, face, name, plain, roll_ms } from '../any-die/codecs.js';
import { defaulted, level, notification } from '../fields.js';

/** The room for the name in a scan response, without its header. */
const MAX_NAME = 29;

/** The largest notification with the default ATT_MTU. */
const MAX_NOTIFICATION = 20;

const axis = codecs.about('Counts: 64 for 1 g', codecs.integer(-128, 127));
const acceleration = codecs.named(
  'Acceleration',
  'How a die lies or moves',
  codecs.closedObject({ x: axis, y: axis, z: axis }),
);

export const StartBody = codecs.closedObject(
  {
    battery_level: codecs.withDefault(level, 100),
    charging,
    resting: defaulted('How it lies; face 1 of a `d6` unless given', acceleration, {
      x: -64,
      y: 0,
      z: 0,
    }),
    asleep,
  },
  {
    name: name(MAX_NAME),
    color: codecs.about('The colour of the body; by its address unless given', codecs.oneOf(DIE_COLOURS)),
  },
);

/** Where a die comes to rest: on a face of a shell, a random one unless given, or with an acceleration. */
const target = {
  die: codecs.about('The shell whose face it is; `d6` unless given', codecs.oneOf(DICE_TYPES)),
  face,
  acceleration: codecs.about('How it comes to rest, in place of a face', acceleration),
};

const oneTarget = <
  A extends { readonly acceleration?: unknown; readonly face?: unknown; readonly die?: unknown },
  O,
>(
  codec: codecs.ClosedObject<A, O>,
): codecs.ClosedObject<A, O> =>
  codecs.checked(
    codec,
    E.fromPredicate(
      ({ acceleration, face, die }) =>
        acceleration === undefined || (face === undefined && die === undefined),
      () => 'acceleration must be given without die and face: it alone determines how the die comes to rest',
    ),
  );

/** A die has one characteristic that notifies. */
const notifyCharacteristic = codecs.about(
  'By its UUID',
  codecs.matching(
    `${NUS_NOTIFY}, with or without dashes`,
    new RegExp(`^${['6e400003', 'b5a3', 'f393', 'e0a9', 'e50e24dcca9e'].map(codecs.anyCase).join('-?')}$`),
  ),
);

export const actionCodecs = {
  roll: oneTarget(
    codecs.closedObject({}, { ...target, ending: ending(codecs.oneOf(ROLL_ENDINGS)), roll_ms }),
  ),
  turn: oneTarget(codecs.closedObject({}, target)),
  tap: plain,
  double_tap: plain,
  ...commonActions,
  notify: codecs.closedObject(
    { hex: notification(MAX_NOTIFICATION) },
    { characteristic: notifyCharacteristic },
  ),
};
export type ActionCodecs = typeof actionCodecs;
