/** The schemas that have a title: each is kept once in a document, and referred to. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import type { AnyCodec, Described } from '../codecs/index.js';
import { isArray, isRecord } from './json.js';

export type Side = keyof Described['schema'];

export interface Components {
  /** The input of the server. */
  readonly input: (codec: AnyCodec) => JsonRecord;
  /** Its output. */
  readonly output: (codec: AnyCodec) => JsonRecord;
  /** The name of the schema that has a title. */
  readonly nameOf: (side: Side, title: string) => string;
  /** All that is referred to, by name. */
  readonly schemas: JsonRecord;
}

const titleOf = ({ title }: JsonRecord): string | undefined =>
  typeof title === 'string' ? title : undefined;

const mapValues = (record: JsonRecord, change: (value: Json) => Json): JsonRecord =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

/** The schemas in `value` that have a title, those in others too. */
const titledIn = (value: Json): readonly (readonly [string, JsonRecord])[] => {
  if (isArray(value)) return value.flatMap(titledIn);
  if (!isRecord(value)) return [];
  const title = titleOf(value);
  const inner = Object.values(value).flatMap(titledIn);
  return title === undefined ? inner : [[title, value], ...inner];
};

const byTitle = (codecs: readonly AnyCodec[], side: Side): ReadonlyMap<string, JsonRecord> => {
  const found = new Map<string, JsonRecord>();
  for (const [title, schema] of codecs.flatMap((codec) => titledIn(codec.schema[side]))) {
    const known = found.get(title);
    if (known !== undefined && !isSame(known, schema)) throw new Error(`two schemas have the title ${title}`);
    found.set(title, schema);
  }
  return found;
};

const isSame = (one: JsonRecord, other: JsonRecord): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The keywords whose members are the same value as the schema that has them. */
const CHOICES = ['anyOf', 'oneOf'] as const;

const isModel = ({ type, const: only, enum: some, allOf }: JsonRecord): boolean =>
  type === 'object' || [only, some, allOf].some((keyword) => keyword !== undefined);

const hasModels = (schema: JsonRecord): boolean =>
  isModel(schema) || [...CHOICES, 'items'].some((keyword) => schema[keyword] !== undefined);

/**
 * A schema with a title, `of`, and its parts with theirs: programs that generate code name types by them. A part is named by the
 * fields that lead to it, and numbered where a field has a choice of several.
 */
const titled = (schema: JsonRecord, of: string): JsonRecord => {
  if (schema['$ref'] !== undefined) return schema;
  return isModel(schema) ? { title: of, ...partsTitled(schema, of) } : partsTitled(schema, of);
};

const partsTitled = (schema: JsonRecord, of: string): JsonRecord => {
  const { properties, items } = schema;
  const choices = CHOICES.flatMap((keyword) => {
    const members = schema[keyword];
    if (!isArray(members)) return [];
    const isOne = members.filter((member) => isRecord(member) && hasModels(member)).length < 2;
    return [
      [keyword, members.map((member, index) => ifRecord(member, titled, isOne ? of : `${of}_${index + 1}`))],
    ] as const;
  });
  return {
    ...schema,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, ifRecord(part, titled, `${of}_${name}`)]),
      ),
    }),
    ...(items !== undefined && { items: ifRecord(items, titled, `${of}_item`) }),
    ...Object.fromEntries(choices),
    ...(isArray(schema['allOf']) && {
      allOf: schema['allOf'].map((part) => ifRecord(part, partsTitled, of)),
    }),
  };
};

const ifRecord = (value: Json, change: typeof titled, of: string): Json =>
  isRecord(value) ? change(value, of) : value;

/** The components of a document about codecs that a server reads (`taken`) and writes (`given`). */
export const openComponents = (taken: readonly AnyCodec[], given: readonly AnyCodec[]): Components => {
  const inputs = byTitle(taken, 'input');
  const outputs = byTitle(given, 'output');

  /** Input and output of the same title may have different schemas. */
  const nameOf = (side: Side, title: string): string => {
    const [input, output] = [inputs.get(title), outputs.get(title)];
    const isShared = input === undefined || output === undefined || isSame(input, output);
    return side === 'output' || isShared ? title : `${title}Input`;
  };

  const referring =
    (side: Side) =>
    (value: Json): Json => {
      if (isArray(value)) return value.map(referring(side));
      if (!isRecord(value)) return value;
      const title = titleOf(value);
      return title === undefined
        ? mapValues(value, referring(side))
        : { $ref: `#/components/schemas/${nameOf(side, title)}` };
    };

  const referringTo =
    (side: Side) =>
    (codec: AnyCodec): JsonRecord => {
      const schema = referring(side)(codec.schema[side]);
      return isRecord(schema) ? schema : {};
    };

  const entriesOf = (titled: ReadonlyMap<string, JsonRecord>, side: Side): readonly [string, JsonRecord][] =>
    [...titled].map(([title, schema]) => {
      const name = nameOf(side, title);
      const referred = { ...mapValues(schema, referring(side)), title: name };
      return [name, partsTitled(referred, name)];
    });

  const entries = [...entriesOf(outputs, 'output'), ...entriesOf(inputs, 'input')];
  return {
    input: referringTo('input'),
    output: referringTo('output'),
    nameOf,
    schemas: Object.fromEntries(entries.sort(([one], [other]) => one.localeCompare(other, 'en'))),
  };
};
