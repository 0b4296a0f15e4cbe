/** Values of the contract that are more than one JSON type. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import {
  about,
  described,
  integer,
  matching,
  named,
  object,
  type AnyCodec,
  type Codec,
  type JsonSchema,
} from '../codecs/index.js';
import { formatTimeOfDay, parseTimeOfDay, type TimeOfDay } from './cgd1/protocol/time-of-day.js';

const describing = ({ schema: { input } }: AnyCodec): JsonSchema => {
  const { description } = input;
  return description === undefined ? {} : { description };
};

/** Reads what a clock may `hold`, in the words of what a client may set. */
export const allowStoredRange = <A, O>(settable: Codec<A, O>, held: Codec<A, O>): Codec<A, O> =>
  described(
    new t.Type<A, O>(settable.name, held.is, held.validate, held.encode),
    {
      anyOf: [
        settable.schema.input,
        { ...held.schema.input, description: 'Only if the clock holds it already' },
      ],
    },
    { ...held.schema.output, ...describing(settable) },
  );

const time = (text: Codec<string>, parts: AnyCodec & t.Type<TimeOfDay>): Codec<TimeOfDay, string> =>
  described(
    new t.Type<TimeOfDay, string>(
      text.name,
      parts.is,
      (value, context) =>
        typeof value === 'object' && value !== null
          ? parts.validate(value, context)
          : pipe(text.validate(value, context), E.map(parseTimeOfDay)),
      formatTimeOfDay,
    ),
    { anyOf: [text.schema.input, parts.schema.input] },
    text.schema.output,
  );

/** `"HH:MM"`, or an object `{hour, minute}`, in; `"HH:MM"` out. */
export const timeOfDay = time(
  matching('a time from "00:00" to "23:59"', /^(?:[01]\d|2[0-3]):[0-5]\d$/),
  named(
    'TimeOfDay',
    'A time in numbers',
    object({ hour: about('0 to 23', integer(0, 23)), minute: about('0 to 59', integer(0, 59)) }),
  ),
);

/** The two bytes that a clock holds in the place of a time: `"07:00"`, but `"25:61"` and `"255:00"` too. */
export const heldTime = time(
  matching(
    'two bytes as "HH:MM", each 00 to 255',
    /^(?:\d\d|1\d\d|2[0-4]\d|25[0-5]):(?:\d\d|1\d\d|2[0-4]\d|25[0-5])$/,
  ),
  named(
    'StoredTime',
    'Two bytes in the place of a time',
    object({ hour: about('One byte', integer(0, 255)), minute: about('One byte', integer(0, 255)) }),
  ),
);

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/** Bytes written as base64 with its padding, in browsers too. */
export const base64 = (maxBytes: number): Codec<Uint8Array, string> =>
  described(
    new t.Type<Uint8Array, string>(
      `base64 of at most ${maxBytes} bytes`,
      isBytes,
      (value, context) => {
        const fits =
          typeof value === 'string' &&
          value.length % 4 === 0 &&
          value.length <= Math.ceil(maxBytes / 3) * 4 &&
          /^[A-Za-z0-9+/]*={0,2}$/.test(value);
        const bytes = Uint8Array.from(atob(fits ? value : ''), (character) => character.charCodeAt(0));
        return fits && bytes.length <= maxBytes ? t.success(bytes) : t.failure(value, context);
      },
      (bytes) => btoa(String.fromCharCode(...bytes)),
    ),
    {
      type: 'string',
      contentEncoding: 'base64',
      maxLength: Math.ceil(maxBytes / 3) * 4,
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    },
  );
