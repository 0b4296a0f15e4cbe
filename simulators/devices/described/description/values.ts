/** Values as they are written in a file: parts of text, hex digits and numbers, fixed or changing. */
import * as codecs from '../../../../src/codecs/index.js';
import { LONGEST_VALUE } from '../../../../src/ble/hci/att.js';
import { isNumberName, numberLayouts, type NumberLayout, type NumberName } from './numbers.js';
import { checkedHere, exactlyOne, oneOrMore, plainOr, textOr } from './shapes.js';
import { defaulted } from '../../fields.js';

const { about } = codecs;

export const hexDigits = codecs.matching(
  `a text of at most ${LONGEST_VALUE} pairs of hex digits, in quotes`,
  new RegExp(`^ *(?:[0-9a-fA-F]{2} *){0,${LONGEST_VALUE}}$`),
  (digits) => digits.replaceAll(' ', '').toLowerCase(),
);

/** A number that changes with each value that is made. */
interface Changing {
  readonly sequence?: readonly number[];
  readonly ramp?: {
    readonly from: number;
    readonly to: number;
    readonly step: number;
    readonly back: boolean;
  };
  readonly noise?: { readonly around: number; readonly by: number };
}

const changing = ({ min, max, isWhole }: NumberLayout): codecs.Codec<Changing, unknown> => {
  const value = isWhole ? codecs.integer(min, max) : codecs.number(min, max);
  const distance = isWhole ? codecs.integer(1, max) : codecs.number(Number.MIN_VALUE, max);
  const steps = codecs.closedObject({
    from: about('The first', value),
    to: about('The last', value),
    step: defaulted('From one to the next', distance, 1),
    back: defaulted('True: it goes back the same way; else it begins again', codecs.boolean, false),
  });
  return exactlyOne({
    sequence: about(
      'In turn, and again from the first',
      checkedHere(codecs.array(value, 'an array of numbers'), ({ length }) =>
        length === 0 ? 'must have at least one number' : undefined,
      ),
    ),
    ramp: about('In steps', steps),
    noise: about(
      'Random, from the seed of the simulation',
      checkedHere(
        codecs.closedObject({
          around: about('The middle', value),
          by: about('How far from it at most', distance),
        }),
        ({ around, by }) =>
          around - by < min || around + by > max
            ? `must stay within ${min} and ${max}, and goes from ${around - by} to ${around + by}`
            : undefined,
      ),
    ),
  });
};

/** The schema of all layouts in documents. */
const changingSchema = codecs.named(
  'ChangingNumber',
  'A number that changes with each value that is made, within the range of its layout',
  changing({ ...numberLayouts.f64le, min: -Number.MAX_VALUE, max: Number.MAX_VALUE }),
).schema.input;

const numberCodecs = Object.fromEntries(
  Object.entries(numberLayouts).map(([name, layout]: [string, NumberLayout]) => {
    const { min, max, isWhole } = layout;
    const plain = isWhole ? codecs.integer(min, max) : codecs.number(min, max);
    return [
      name,
      codecs.described(plainOr(plain, changing(layout)), {
        title: `Number_${name}`,
        description: `A number of ${layout.size} ${layout.size === 1 ? 'octet' : 'octets'}`,
        anyOf: [plain.schema.input, changingSchema],
      }),
    ];
  }),
) as Readonly<Record<NumberName, codecs.Codec<number | Changing, unknown>>>;

const parts = {
  hex: about('Octets, in hex', hexDigits),
  text: about('In UTF-8', codecs.text),
  ...numberCodecs,
};

const written = about('The written value, from this octet on', codecs.integer(0, LONGEST_VALUE));

export type Part = Readonly<Partial<Record<NumberName, number | Changing>>> & {
  readonly hex?: string;
  readonly text?: string;
  readonly written?: number;
};
export type Parts = readonly Part[];

/** The octets of a part; 0 for the written value, whose length is unknown. */
const lengthOf = ({ hex, text, ...numbers }: Part): number => {
  if (hex !== undefined) return hex.length / 2;
  if (text !== undefined) return Buffer.byteLength(text);
  const [name = ''] = Object.keys(numbers);
  return isNumberName(name) ? numberLayouts[name].size : 0;
};

export const lengthOfParts = (list: Parts): number => list.reduce((sum, part) => sum + lengthOf(part), 0);

const valueOf = <P extends Part>(
  part: codecs.Codec<P, unknown>,
  most: number,
): codecs.Codec<Parts, unknown> =>
  checkedHere(
    textOr(
      hexDigits,
      (hex): Parts => [{ hex }],
      oneOrMore(part, 'hex digits, a part of a value, or an array of parts') as codecs.Codec<Parts, unknown>,
    ),
    (valueParts) => {
      const length = lengthOfParts(valueParts);
      return length > most ? `must be at most ${most} octets long, got ${length}` : undefined;
    },
  );

const part = codecs.named('ValuePart', 'Octets of a value: exactly one of its fields', exactlyOne(parts));
const answerPart = codecs.named(
  'AnswerPart',
  'Octets of an answer: exactly one of its fields',
  exactlyOne({ ...parts, written }),
);

export const value = codecs.named(
  'GattValue',
  'Hex digits, a part, or several parts in order; 512 octets at most',
  valueOf(part, LONGEST_VALUE),
);

export const answerValue = codecs.named(
  'AnswerValue',
  'Hex digits, a part, or several parts in order; a part may be the written value',
  valueOf(answerPart, LONGEST_VALUE),
);

export const shortValue = (most: number): codecs.Codec<Parts, unknown> => valueOf(part, most);

export type { Changing };
