/** Bodies of the control API for a die. */
import { DIE_COLOURS, NUS_NOTIFY } from '../../src/dice/drivers/godice/protocol/index.js';
import { DICE_TYPES } from '../../src/dice/port/values.js';
import * as codecs from '../../src/codecs/index.js';
import { commonActions, level, milliseconds, name, notification, plain } from '../die/codecs.js';

/** The most that a scan response has room for beside the header of the name. */
const MAX_NAME = 29;

/** The most that fits a packet of the default MTU. */
const MAX_NOTIFICATION = 20;

const axis = codecs.integer(-128, 127);
const acceleration = codecs.closedObject({ x: axis, y: axis, z: axis });

export const StartBody = codecs.closedObject(
  {
    battery_level: codecs.withDefault(level, 100),
    charging: codecs.withDefault(codecs.boolean, false),
    /** Face 1 of a d6. */
    resting: codecs.withDefault(acceleration, { x: -64, y: 0, z: 0 }),
    asleep: codecs.withDefault(codecs.boolean, false),
  },
  {
    /** Empty: a die without a name. */
    name: name(MAX_NAME),
    color: codecs.oneOf(DIE_COLOURS),
  },
);

/** Where a die ends up: on a face of a shell, any if none is named, or just so. */
const target = {
  die: codecs.oneOf(DICE_TYPES),
  face: codecs.anyInteger,
  acceleration,
};

const oneTarget = <
  A extends { readonly acceleration?: unknown; readonly face?: unknown; readonly die?: unknown },
  O,
>(
  codec: codecs.ClosedObject<A, O>,
): codecs.ClosedObject<A, O> =>
  codecs.withRule(
    codec,
    (action) => action.acceleration === undefined || (action.face === undefined && action.die === undefined),
    'acceleration must be given without die and face: it says alone how the die comes to rest',
  );

/** A die has one characteristic that notifies. */
const notifyCharacteristic = codecs.matching(
  `${NUS_NOTIFY}, with or without dashes`,
  new RegExp(`^${['6e400003', 'b5a3', 'f393', 'e0a9', 'e50e24dcca9e'].map(codecs.anyCase).join('-?')}$`),
);

export const actionCodecs = {
  roll: oneTarget(
    codecs.closedObject(
      {},
      { ...target, ending: codecs.oneOf(['stable', 'tilt', 'fake', 'move', 'none']), roll_ms: milliseconds },
    ),
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
