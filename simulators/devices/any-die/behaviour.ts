/** How dice of all makers misbehave. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { hexByte } from '../../../src/bytes/index.js';
import * as codecs from '../../../src/codecs/index.js';
import { defaulted, milliseconds, usualOf } from '../fields.js';

const hexDigits = codecs.matching('an opcode of two hex digits, such as 03', /^[0-9a-fA-F]{2}$/);
const opcode = codecs.described(
  new t.Type<number, string>(
    hexDigits.name,
    t.number.is,
    (value, context) =>
      pipe(
        hexDigits.validate(value, context),
        E.map((hex) => parseInt(hex, 16)),
      ),
    hexByte,
  ),
  hexDigits.schema.input,
);

export const DieBehaviour = codecs.named(
  'DieBehaviour',
  'How a die misbehaves',
  codecs.closedObject({
    silent_opcodes: defaulted(
      'Opcodes (byte 0) of the commands that it ignores, hex',
      codecs.array(opcode, 'an array of opcodes such as "03"'),
      [],
    ),
    answer_delay_ms: defaulted('The delay of each answer, milliseconds', milliseconds(), 0),
    drop_after_roll_start: defaulted(
      'Whether it loses its link halfway through each roll',
      codecs.boolean,
      false,
    ),
    refuse_links: defaulted('Whether it drops each link at once', codecs.boolean, false),
  }),
);
export type DieBehaviour = t.TypeOf<typeof DieBehaviour>;

export const USUAL_BEHAVIOUR = usualOf(DieBehaviour);
