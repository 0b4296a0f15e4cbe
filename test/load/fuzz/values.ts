/** JSON values that a schema allows, values with one mistake, and arbitrary values. */
import * as fc from 'fast-check';
import type { Json } from 'fp-ts/lib/Json.js';
import type { JsonSchema } from '../../../src/codecs/index.js';

type Values = fc.Arbitrary<Json>;

/** Values that exist on the server, by the name of the field; the lists may change during a run. */
export type Known = Readonly<Record<string, readonly string[]>>;

export const oneOfKnown = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.nat().map((index) => texts[index % texts.length] ?? '');

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of an object or an array. */
const membersOf = (value: Json): readonly (readonly [name: string, member: Json])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

const schemasIn = (value: unknown): readonly JsonSchema[] =>
  Array.isArray(value) ? value.filter((member) => isObject(member)) : [];

const anyText = fc.string({ unit: 'binary', maxLength: 30 });

const anyJson: Values = fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json);

const numberIn = ({ type, minimum, maximum, multipleOf }: JsonSchema): Values => {
  const min = Number(minimum ?? Number.MIN_SAFE_INTEGER);
  const max = Number(maximum ?? Number.MAX_SAFE_INTEGER);
  if (type === 'number') return fc.double({ min, max, noNaN: true });
  const step = Number(multipleOf ?? 1);
  return fc.integer({ min: Math.ceil(min / step), max: Math.floor(max / step) }).map((n) => n * step);
};

const textIn = ({ pattern }: JsonSchema): Values => {
  if (typeof pattern !== 'string') return anyText;
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    // fast-check knows no lookahead.
    return anyText;
  }
};

const objectIn = ({ properties, required, additionalProperties }: JsonSchema, known: Known): Values => {
  if (isObject(additionalProperties))
    return fc
      .dictionary(fc.string({ maxLength: 8 }), validJson(additionalProperties, known), { maxKeys: 3 })
      .map((value): Json => ({ ...value }));
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => {
    const values = validJson(isObject(field) ? field : {}, known);
    const some = known[name];
    return [
      name,
      some === undefined
        ? values
        : fc.oneof({ weight: 4, arbitrary: oneOfKnown(some) }, { weight: 1, arbitrary: values }),
    ] as const;
  });
  const requiredKeys = Array.isArray(required) ? required.map(String) : [];
  return fc
    .record(Object.fromEntries(fields), {
      requiredKeys: requiredKeys.filter((name) => name in Object(properties)),
    })
    .map((value): Json => ({ ...value }));
};

/** A valid value of `schema`; `not`, and keywords beside `properties`, are left out. */
export const validJson = (schema: JsonSchema, known: Known): Values => {
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as readonly Json[]));
  const all = schemasIn(schema['allOf']);
  if (all.length > 0)
    return fc
      .tuple(...all.map((one) => validJson(one, known)))
      .map((parts): Json => Object.fromEntries(parts.flatMap(membersOf)));
  const some = schemasIn(schema['oneOf'] ?? schema['anyOf']);
  if (some.length > 0 && !('properties' in schema))
    return fc.oneof(...some.map((one) => validJson(one, known)));
  const { type } = schema;
  if (typeof type !== 'string') return anyJson;
  switch (type) {
    case 'object':
      return objectIn(schema, known);
    case 'array':
      return fc.array(validJson(isObject(schema['items']) ? schema['items'] : {}, known), { maxLength: 5 });
    case 'string':
      return textIn(schema);
    case 'integer':
    case 'number':
      return numberIn(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return anyJson;
  }
};

/** Stands for arrays in arrays, too deep for JSON.stringify. */
const DEEP = '§deep§';
const DEPTH = 30_000;

const strange: Values = fc.oneof(
  anyJson,
  fc.constantFrom<Json>(null, true, '', {}, [], [[]], '__proto__', '\0', '\ud800', 'x'.repeat(5_000), DEEP),
  fc.constantFrom<Json>(-1, 0, 0.5, 255, 256, 86_401, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63), 1e308, 5e-324),
  fc
    .constantFrom('__proto__', 'constructor', 'toString')
    .map((name): Json => ({ [name]: { type: 'object' } })),
);

type Path = readonly string[];

const pathsIn = (value: Json): readonly Path[] => [
  [],
  ...membersOf(value).flatMap(([key, member]) => pathsIn(member).map((path): Path => [key, ...path])),
];

/** `value` with a change at `path`; undefined leaves it out. */
const changed = (
  value: Json,
  [key, ...rest]: Path,
  change: (found: Json) => Json | undefined,
): Json | undefined => {
  if (key === undefined) return change(value);
  const members = membersOf(value).flatMap(([name, member]) => {
    const after = name === key ? changed(member, rest, change) : member;
    return after === undefined ? [] : [[name, after] as const];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
};

const changes: fc.Arbitrary<(found: Json) => Json | undefined> = fc.oneof(
  fc.constant(() => undefined),
  strange.map((other) => () => other),
  fc.tuple(fc.string({ maxLength: 12 }), strange).map(
    ([name, other]) =>
      (found: Json): Json =>
        isObject(found) ? { ...found, [name]: other } : [found, other],
  ),
  fc.constantFrom(1, -1, 0.1).map(
    (by) =>
      (found: Json): Json =>
        typeof found === 'number' ? found + by : [found],
  ),
  fc.constant((found: Json): Json =>
    typeof found === 'string' ? found.toUpperCase() : JSON.stringify(found),
  ),
);

/** A valid value with one change. */
const nearlyValid = (valid: Values): Values =>
  fc.tuple(valid, fc.nat(), changes).map(([value, at, change]): Json => {
    const paths = pathsIn(value);
    return changed(value, paths[at % paths.length] ?? [], change) ?? null;
  });

/** The bytes with a few of them replaced. */
const broken = (whole: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(whole, fc.nat(), fc.nat({ max: 4 }), fc.uint8Array({ maxLength: 4 }))
    .map(([bytes, at, length, others]) => {
      const start = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, start), others, bytes.subarray(start + length)]);
    });

/** Bytes of valid, nearly valid or strange JSON, and of anything else. */
export const bodies = (schema: JsonSchema, known: Known): fc.Arbitrary<Buffer> => {
  const valid = validJson(schema, known);
  const written = (values: Values): fc.Arbitrary<Buffer> =>
    values.map((value) =>
      Buffer.from(
        JSON.stringify(value).replaceAll(JSON.stringify(DEEP), '['.repeat(DEPTH) + ']'.repeat(DEPTH)),
      ),
    );
  return fc.oneof(
    { weight: 8, arbitrary: written(valid) },
    { weight: 6, arbitrary: written(nearlyValid(valid)) },
    { weight: 1, arbitrary: written(strange) },
    { weight: 2, arbitrary: broken(written(valid)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', ' ', '"', '[[[', '{"a":1,"a":2}', '1e999', 'x'.repeat(70_000))
        .map((text) => Buffer.from(text)),
    },
  );
};
