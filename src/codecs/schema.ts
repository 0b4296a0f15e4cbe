/** Input and output of a codec as JSON Schema (draft 2020-12): for people's documents and other programs. */
import type { Json } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import { isRecord } from './json.js';

/** Keywords of JSON Schema; `title` names a schema that documents keep once and refer to. */
export type JsonSchema = Readonly<Record<string, Json | readonly Json[]>>;

export interface Described {
  readonly schema: {
    /** The input that `decode` accepts, and nothing else. */
    readonly input: JsonSchema;
    /** The output of `encode`. */
    readonly output: JsonSchema;
  };
}

export type Codec<A, O = A> = t.Type<A, O> & Described;

/** Any codec with a schema. */
export type AnyCodec = t.Mixed & Described;

/** The fields of an object. */
export type Fields = Readonly<Record<string, AnyCodec>>;

/** Adds the schema of a codec; `output` if `encode` returns a form that differs from the input of `decode`. */
export const described = <C extends object>(
  codec: C,
  input: JsonSchema,
  output: JsonSchema = input,
): C & Described => Object.assign(codec, { schema: { input, output } });

const copyOf = <C extends object>(codec: C): C =>
  Object.assign(Object.create(Object.getPrototypeOf(codec) as object | null) as C, codec);

/** A copy of a codec with its own name and summary in documents. */
export const named = <C extends Described>(title: string, summary: string, codec: C): C & Described => {
  const { input, output } = codec.schema;
  const head = { title, description: summary };
  return described(copyOf(codec), { ...head, ...input }, { ...head, ...output });
};

/** A copy of a codec with a description of a field for documents: its unit, the reason for its range, the meaning of null. */
export const about = <C extends Described>(description: string, codec: C): C => {
  const { input, output } = codec.schema;
  return described(copyOf(codec), { ...input, description }, { ...output, description });
};

const propertiesOf = ({ properties }: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(properties ?? {}));

const requiredOf = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? required.map(String) : [];

/** The schema of an object with the properties of two. */
export const merged = (first: JsonSchema, second: JsonSchema): JsonSchema => ({
  ...first,
  ...second,
  properties: { ...propertiesOf(first), ...propertiesOf(second) },
  required: [...requiredOf(first), ...requiredOf(second)],
});

/** The schema of an object, or of several in one, without some of its properties. */
export const without = (schema: JsonSchema, names: readonly string[]): JsonSchema => {
  const { properties, required, allOf } = schema;
  const remaining = Object.entries(propertiesOf(schema)).filter(([name]) => !names.includes(name));
  return {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(remaining) }),
    ...(required !== undefined && {
      required: requiredOf(schema).filter((name) => !names.includes(name)),
    }),
    ...(Array.isArray(allOf) && {
      allOf: allOf.map((part: Json) => (isRecord(part) ? without(part, names) : part)),
    }),
  };
};
