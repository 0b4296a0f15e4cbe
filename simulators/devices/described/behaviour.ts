/** How a device from a file may misbehave. */
import type * as t from 'io-ts';
import * as codecs from '../../../src/codecs/index.js';
import { defaulted } from '../fields.js';

const { about } = codecs;

const ErrorFor = codecs.closedObject({
  characteristic: about('Its `id`', codecs.text),
  on: about('Which operation is refused', codecs.oneOf(['read', 'write'])),
  error: about('The ATT error code', codecs.integer(1, 255)),
});

export const GattBehaviour = codecs.named(
  'GattBehaviour',
  'How a device from a file misbehaves',
  codecs.closedObject({
    silent: defaulted('True: it answers no ATT request', codecs.boolean, false),
    answer_delay_ms: defaulted('The delay of each answer, milliseconds', codecs.integer(0, 60_000), 0),
    mute: defaulted('True: it neither notifies nor indicates', codecs.boolean, false),
    refuse_pairing: defaulted('True: it refuses to pair', codecs.boolean, false),
    errors: defaulted('Operations that are refused', codecs.array(ErrorFor, 'an array of errors'), []),
  }),
);
export type GattBehaviour = t.TypeOf<typeof GattBehaviour>;
