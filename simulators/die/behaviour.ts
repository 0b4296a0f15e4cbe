/** How dice of all makers misbehave. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import { hexByte } from '../../src/bytes/index.js';
import * as codecs from '../../src/codecs/index.js';
import { milliseconds } from './codecs.js';

export interface DieBehaviour {
  /** Byte 0 of the commands that the die ignores. */
  readonly silentOpcodes: readonly number[];
  /** Before each answer, ms on the die's clock. */
  readonly answerDelayMs: number;
  /** Loses the link halfway through each roll. */
  readonly dropAfterRollStart: boolean;
  /** Drops each link as soon as it is made. */
  readonly refuseLinks: boolean;
}

export const USUAL_BEHAVIOUR: DieBehaviour = {
  silentOpcodes: [],
  answerDelayMs: 0,
  dropAfterRollStart: false,
  refuseLinks: false,
};

const opcode = codecs.matching('an opcode of two hex digits, such as 03', /^[0-9a-fA-F]{2}$/, (given) =>
  given.toUpperCase(),
);

export const BehaviourBody = codecs.closedObject({
  silent_opcodes: codecs.withDefault(
    codecs.about(
      'Byte 0 of the commands that it ignores, hex',
      codecs.array(opcode, 'an array of opcodes such as "03"'),
    ),
    [],
  ),
  answer_delay_ms: codecs.withDefault(
    codecs.about('Before each answer, milliseconds', milliseconds),
    USUAL_BEHAVIOUR.answerDelayMs,
  ),
  drop_after_roll_start: codecs.withDefault(
    codecs.about('Whether it loses its link halfway through each roll', codecs.boolean),
    USUAL_BEHAVIOUR.dropAfterRollStart,
  ),
  refuse_links: codecs.withDefault(
    codecs.about('Whether it drops each link at once', codecs.boolean),
    USUAL_BEHAVIOUR.refuseLinks,
  ),
});
export type BehaviourBody = t.TypeOf<typeof BehaviourBody>;

export const behaviourOf = (body: BehaviourBody): DieBehaviour => ({
  silentOpcodes: body.silent_opcodes.map((hex) => parseInt(hex, 16)),
  answerDelayMs: body.answer_delay_ms,
  dropAfterRollStart: body.drop_after_roll_start,
  refuseLinks: body.refuse_links,
});

export const behaviourJson = (behaviour: DieBehaviour): JsonRecord => ({
  silent_opcodes: behaviour.silentOpcodes.map(hexByte),
  answer_delay_ms: behaviour.answerDelayMs,
  drop_after_roll_start: behaviour.dropAfterRollStart,
  refuse_links: behaviour.refuseLinks,
});
