/** Values of the contract that are more than one JSON type. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { integer, matching, object } from '../http/codecs.js';
import type { TimeOfDay } from './protocol/index.js';

const clockTime = matching('a time from "00:00" to "23:59"', /^(?:[01]\d|2[0-3]):[0-5]\d$/);
const parts = object({ hour: integer(0, 23), minute: integer(0, 59) });

/** Reads what a clock may `hold`, in the words of what a client may set. */
export const orHeld = <A>(settable: t.Type<A>, held: t.Type<A>): t.Type<A> =>
  new t.Type(settable.name, held.is, held.validate, held.encode);

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `"HH:MM"`, or an object `{hour, minute}`, in; `"HH:MM"` out. */
export const timeOfDay = new t.Type<TimeOfDay, string>(
  clockTime.name,
  parts.is,
  (value, context) =>
    typeof value === 'object' && value !== null
      ? parts.validate(value, context)
      : pipe(
          clockTime.validate(value, context),
          E.map((time) => ({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3)) })),
        ),
  ({ hour, minute }) => `${twoDigits(hour)}:${twoDigits(minute)}`,
);

/** The most bytes of a file in one message. */
export const MAX_PIECE = 32 * 1024;

const isBuffer = (value: unknown): value is Buffer => Buffer.isBuffer(value);

/** Bytes written as base64 with its padding. */
export const base64 = (maxBytes: number): t.Type<Buffer, string> =>
  new t.Type(
    `base64 of at most ${maxBytes} bytes`,
    isBuffer,
    (value, context) => {
      const fits =
        typeof value === 'string' &&
        value.length % 4 === 0 &&
        value.length <= Math.ceil(maxBytes / 3) * 4 &&
        /^[A-Za-z0-9+/]*={0,2}$/.test(value);
      const bytes = Buffer.from(fits ? value : '', 'base64');
      return fits && bytes.length <= maxBytes ? t.success(bytes) : t.failure(value, context);
    },
    (bytes) => bytes.toString('base64'),
  );
