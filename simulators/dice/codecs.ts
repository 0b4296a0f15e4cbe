/** What the control API takes for a die. */
import * as t from 'io-ts';
import { DICE_TYPES, DIE_COLOURS, NUS_NOTIFY } from '../../src/dice/protocol/index.js';
import { codecs } from '../../src/http/index.js';
import { EVEN_TEMPER, type DieTemper } from './temper.js';

/** The most that a scan response has room for beside the header of the name. */
const MAX_NAME = 29;

/** An hour: longer than any test waits. */
const MAX_MS = 3_600_000;

const axis = codecs.integer(-128, 127);
const acceleration = codecs.object({ x: axis, y: axis, z: axis });
const level = codecs.integer(0, 100);
const milliseconds = codecs.integer(0, MAX_MS);

const opcode = codecs.matching('an opcode of two hex digits, such as 03', /^[0-9a-f]{2}$/i, (given) =>
  given.toUpperCase(),
);

export const TemperBody = codecs.objectWith(
  {},
  {
    silent_opcodes: t.array(opcode, 'an array of opcodes such as "03"'),
    answer_delay_ms: milliseconds,
    drop_after_roll_start: codecs.boolean,
    refuse_links: codecs.boolean,
  },
);

export const temperOf = (body: t.TypeOf<typeof TemperBody>): DieTemper => ({
  silentOpcodes: body.silent_opcodes?.map((hex) => parseInt(hex, 16)) ?? EVEN_TEMPER.silentOpcodes,
  answerDelayMs: body.answer_delay_ms ?? EVEN_TEMPER.answerDelayMs,
  dropAfterRollStart: body.drop_after_roll_start ?? EVEN_TEMPER.dropAfterRollStart,
  refuseLinks: body.refuse_links ?? EVEN_TEMPER.refuseLinks,
});

export const StartBody = codecs.objectWith(
  {},
  {
    /** Empty: a die without a name. */
    name: codecs.matching(
      `a text of at most ${MAX_NAME} printable ASCII characters`,
      new RegExp(`^[\\x20-\\x7e]{0,${MAX_NAME}}$`),
    ),
    color: codecs.oneOf(DIE_COLOURS),
    battery_level: level,
    charging: codecs.boolean,
    resting: acceleration,
    asleep: codecs.boolean,
    temper: TemperBody,
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
  codec: t.Type<A, O>,
): t.Type<A, O> =>
  codecs.withRule(
    codec,
    (action) => action.acceleration === undefined || (action.face === undefined && action.die === undefined),
    'acceleration must be given without die and face: it says alone how the die comes to rest',
  );

const plain = <T extends string>(type: T): t.TypeC<{ type: t.LiteralC<T> }> =>
  codecs.object({ type: t.literal(type) });

/** A die has one characteristic that notifies. */
const notifyCharacteristic = codecs.matching(
  `${NUS_NOTIFY}, with or without dashes`,
  /^6e400003-?b5a3-?f393-?e0a9-?e50e24dcca9e$/i,
);

export const ActionBody = codecs.tagged('type', {
  roll: oneTarget(
    codecs.objectWith(
      { type: t.literal('roll') },
      { ...target, ending: codecs.oneOf(['stable', 'tilt', 'fake', 'move', 'none']), roll_ms: milliseconds },
    ),
  ),
  turn: oneTarget(codecs.objectWith({ type: t.literal('turn') }, target)),
  tap: plain('tap'),
  double_tap: plain('double_tap'),
  charge: codecs.object({ type: t.literal('charge'), on: codecs.boolean }),
  battery: codecs.object({ type: t.literal('battery'), level }),
  sleep: plain('sleep'),
  wake: plain('wake'),
  notify: codecs.objectWith(
    {
      type: t.literal('notify'),
      hex: codecs.matching('an even number of hex digits, at most 40', /^(?:[0-9a-f]{2}){0,20}$/i),
    },
    { characteristic: notifyCharacteristic },
  ),
});
export type ActionBody = t.TypeOf<typeof ActionBody>;
