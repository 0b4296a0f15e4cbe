import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import * as codecs from '../../src/codecs/index.js';
import { decode } from '../../src/codecs/index.js';
import type { DeviceKind, PreparedDevice } from '../devices/device-kind.js';
import type { Reception } from '../radio/index.js';
import type { Kinds } from './kinds.js';

/** A device to be put into the world. */
export interface DeviceSpec extends PreparedDevice {
  /** The name of the kind. */
  readonly kind: string;
  readonly of: DeviceKind;
  /** Without one it gets the next free one of its kind. */
  readonly address: string | undefined;
  readonly reception: Partial<Reception>;
}

/** The range of `rssi` is that of Core 5.4 Vol 4 Part E 7.7.65.2. */
export const placeFields = {
  rssi: codecs.named(
    'ReceivedRssi',
    'The signal at receivers, dBm; null: unknown to receivers',
    codecs.nullable(codecs.integer(-127, 20)),
  ),
  in_range: codecs.about('False: no other device receives it', codecs.boolean),
};

export const ReceptionBody = codecs.closedObject(
  {},
  {
    ...placeFields,
    adapter: codecs.about('The id of an adapter: the place holds for this adapter alone', codecs.text),
  },
);

export const receptionOf = (body: Omit<t.TypeOf<typeof ReceptionBody>, 'adapter'>): Partial<Reception> => ({
  ...(body.rssi === undefined ? {} : { rssi: body.rssi }),
  ...(body.in_range === undefined ? {} : { inRange: body.in_range }),
});

const optional = { address: codecs.deviceAddress, ...placeFields };

const kindOf = (kinds: Kinds): codecs.Codec<readonly [string, DeviceKind], string> => {
  const name = codecs.oneOf(Object.keys(kinds));
  return codecs.described(
    new t.Type<readonly [string, DeviceKind], string>(
      name.name,
      (value): value is readonly [string, DeviceKind] => Array.isArray(value) && name.is(value[0]),
      (value, context) => {
        const kind = name.is(value) ? kinds[value] : undefined;
        return name.is(value) && kind !== undefined ? t.success([value, kind]) : t.failure(value, context);
      },
      ([given]) => given,
    ),
    name.schema.input,
  );
};

const specBody = (kinds: Kinds) => codecs.closedObject({ kind: kindOf(kinds) }, optional);

/** The body of `POST /devices`, by kind. */
export const specSchema = (kinds: Kinds): codecs.JsonSchema => ({
  oneOf: Object.entries(kinds).map(([kind, { schemas }]) => {
    const { input } = codecs.closedObject({ kind: codecs.literal(kind) }, optional).schema;
    return codecs.merged(input, schemas.start);
  }),
});

/** Reads what `POST /devices` takes: one of `kinds`, address, place, and the start state of that kind. */
export const decodeSpec =
  (kinds: Kinds) =>
  (value: unknown): E.Either<codecs.ParseError, DeviceSpec> => {
    const { fields, open } = specBody(kinds);
    return pipe(
      value,
      decode(open, 'the device'),
      E.chainFirst(({ kind: [, of] }) =>
        pipe(
          value,
          decode(new codecs.ClosedObject([...fields, ...of.fields], codecs.object({})), 'the device'),
        ),
      ),
      E.chain(({ kind: [kind, of], address, ...body }) =>
        pipe(
          of.prepare(value),
          E.map((prepared) => ({ kind, of, address, reception: receptionOf(body), ...prepared })),
        ),
      ),
    );
  };
