/** What the control API takes for a die. */
import type * as t from 'io-ts';
import { DIE_COLOURS, NUS_NOTIFY } from '../../src/dice/drivers/godice/protocol/index.js';
import { DICE_TYPES } from '../../src/dice/port/values.js';
import * as codecs from '../../src/codecs/index.js';
import { USUAL_BEHAVIOUR, type DieBehaviour } from './behaviour.js';

/** The most that a scan response has room for beside the header of the name. */
const MAX_NAME = 29;

/** An hour: longer than any test waits. */
const MAX_MS = 3_600_000;

const axis = codecs.integer(-128, 127);
const acceleration = codecs.closedObject({ x: axis, y: axis, z: axis });
const level = codecs.integer(0, 100);
const milliseconds = codecs.integer(0, MAX_MS);

const opcode = codecs.matching('an opcode of two hex digits, such as 03', /^[0-9a-fA-F]{2}$/, (given) =>
  given.toUpperCase(),
);

export const BehaviourBody = codecs.closedObject({
  silent_opcodes: codecs.withDefault(codecs.array(opcode, 'an array of opcodes such as "03"'), []),
  answer_delay_ms: codecs.withDefault(milliseconds, USUAL_BEHAVIOUR.answerDelayMs),
  drop_after_roll_start: codecs.withDefault(codecs.boolean, USUAL_BEHAVIOUR.dropAfterRollStart),
  refuse_links: codecs.withDefault(codecs.boolean, USUAL_BEHAVIOUR.refuseLinks),
});
export type BehaviourBody = t.TypeOf<typeof BehaviourBody>;

export const behaviourOf = (body: BehaviourBody): DieBehaviour => ({
  silentOpcodes: body.silent_opcodes.map((hex) => parseInt(hex, 16)),
  answerDelayMs: body.answer_delay_ms,
  dropAfterRollStart: body.drop_after_roll_start,
  refuseLinks: body.refuse_links,
});

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
    name: codecs.matching(
      `a text of at most ${MAX_NAME} printable ASCII characters`,
      new RegExp(`^[\\x20-\\x7e]{0,${MAX_NAME}}$`),
    ),
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

/** An action without parameters. */
const plain = codecs.closedObject({});

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
  charge: codecs.closedObject({ on: codecs.boolean }),
  battery: codecs.closedObject({ level }),
  sleep: plain,
  wake: plain,
  notify: codecs.closedObject(
    { hex: codecs.matching('an even number of hex digits, at most 40', /^(?:[0-9a-fA-F]{2}){0,20}$/) },
    { characteristic: notifyCharacteristic },
  ),
};
export type ActionCodecs = typeof actionCodecs;
