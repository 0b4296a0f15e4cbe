/** The range of a field, from the JSON Schema of its codec. */
import * as t from 'io-ts';
import type { AnyCodec } from '../../codecs/index.js';

const Numbers = t.intersection([
  t.type({ minimum: t.number, maximum: t.number }),
  t.partial({ multipleOf: t.number }),
]);

const Properties = t.type({ properties: t.UnknownRecord });

export interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** The schema of the field at a path; undefined without such a field. */
export const schemaAt = (
  { schema: { output } }: Pick<AnyCodec, 'schema'>,
  ...path: readonly string[]
): unknown =>
  path.reduce<unknown>(
    (schema, name) => (Properties.is(schema) ? schema.properties[name] : undefined),
    output,
  );

/** The range of a schema of numbers; null for other schemas. */
export const rangeIn = (schema: unknown): Range | null =>
  Numbers.is(schema) ? { min: schema.minimum, max: schema.maximum, step: schema.multipleOf ?? 1 } : null;

export const rangeOf = (codec: Pick<AnyCodec, 'schema'>, name: string): Range =>
  rangeIn(schemaAt(codec, name)) ?? { min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 };
