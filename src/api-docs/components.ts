/** Named schemas: a document has each schema once, with references to it. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import type { AnyCodec, Described } from '../codecs/index.js';
import { CHOICES, isObject, tagOf } from './choices.js';
import { whereGiven } from './parts.js';
import { isArray, isRecord } from '../codecs/json.js';

export type Side = keyof Described['schema'];

const titleOf = ({ title }: JsonRecord): string | undefined =>
  typeof title === 'string' ? title : undefined;

/** All schemas with a title in `value`, at any depth. */
const titledIn = (value: Json): readonly (readonly [string, JsonRecord])[] => {
  if (isArray(value)) return value.flatMap(titledIn);
  if (!isRecord(value)) return [];
  const title = titleOf(value);
  const inner = Object.values(value).flatMap(titledIn);
  return title === undefined ? inner : [[title, value], ...inner];
};

/** Whether two schemas are the same apart from their descriptions and defaults, which differ by use. */
const isSame = (a: JsonRecord, b: JsonRecord): boolean => {
  const [first, second] = [a, b].map((schema) =>
    JSON.stringify({ ...schema, description: null, default: null }),
  );
  return first === second;
};

const byTitle = (codecs: readonly AnyCodec[], side: Side): ReadonlyMap<string, JsonRecord> => {
  const schemas = new Map<string, JsonRecord>();
  for (const [title, schema] of codecs.flatMap((codec) => titledIn(codec.schema[side]))) {
    const first = schemas.get(title);
    if (first === undefined) schemas.set(title, schema);
    else if (!isSame(first, schema)) throw new Error(`two schemas have the title ${title}`);
  }
  return schemas;
};

/** Whether generators make a type of a schema. */
const isModel = ({ type, const: literal, enum: values, allOf }: JsonRecord): boolean =>
  type === 'object' || [literal, values, allOf].some((keyword) => keyword !== undefined);

const hasModels = (schema: JsonRecord): boolean =>
  isModel(schema) || [...CHOICES, 'items'].some((keyword) => schema[keyword] !== undefined);

const SCALARS: readonly Json[] = ['string', 'integer', 'number', 'boolean'];

/** A choice of a scalar and null, as one schema. */
const withNull = (schema: JsonRecord): JsonRecord => {
  const { anyOf, ...others } = schema;
  const [scalar, other, ...more] = isArray(anyOf) ? anyOf : [];
  if (!isRecord(scalar) || !isRecord(other) || other['type'] !== 'null' || more.length > 0) return schema;
  const { type = null, enum: some } = scalar;
  const isPlain =
    SCALARS.includes(type) &&
    [some, scalar['title'], others['type']].every((keyword) => keyword === undefined);
  return isPlain ? { ...scalar, ...others, type: [type, 'null'] } : schema;
};

const mapRecord = (record: JsonRecord, change: (value: Json, key: string) => Json): JsonRecord =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

/**
 * OpenAPI names the field that distinguishes the members of a choice. In the other formats generators name types by titles.
 * In AsyncAPI a reference has no other members.
 */
type Format = 'openapi' | 'asyncapi' | 'json-schema';

/** The references in `allOf`. OpenAPI takes such a schema with a discriminator for a base class, whose subclasses it tags by name. */
const extendedIn = (value: Json): readonly Json[] => {
  if (isArray(value)) return value.flatMap(extendedIn);
  if (!isRecord(value)) return [];
  const { allOf } = value;
  const parts = isArray(allOf) ? allOf.flatMap((part) => (isRecord(part) ? (part['$ref'] ?? []) : [])) : [];
  return [...parts, ...Object.values(value).flatMap(extendedIn)];
};

const without = (record: JsonRecord, keys: readonly string[]): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

interface Options {
  /** Codecs of values that the server reads (`input`) and writes (`output`). */
  readonly input: readonly AnyCodec[];
  readonly output: readonly AnyCodec[];
  readonly format: Format;
}

/**
 * The named schemas of a document. Generators name types by titles, hence each model has a title: its own, or the names of the
 * fields above it. The name of an object in a choice ends with the value that distinguishes it, or else with a number.
 */
export class Components {
  private readonly titled: Readonly<Record<Side, ReadonlyMap<string, JsonRecord>>>;
  private readonly sources = new Map<string, JsonRecord>();
  private readonly kept = new Map<string, JsonRecord>();
  private readonly format: Format;

  constructor({ input, output, format }: Options) {
    this.titled = { input: byTitle(input, 'input'), output: byTitle(output, 'output') };
    this.format = format;
    for (const side of ['output', 'input'] as const)
      for (const schema of this.titled[side].values()) this.part(side, schema, '');
  }

  /** All named schemas so far, in the order of their names. */
  get schemas(): JsonRecord {
    const extended = extendedIn(Object.fromEntries(this.kept));
    return Object.fromEntries(
      [...this.kept]
        .sort(([a], [b]) => a.localeCompare(b, 'en'))
        .map(([name, schema]) => [
          name,
          extended.includes(this.referenceTo(name)) ? without(schema, ['discriminator']) : schema,
        ]),
    );
  }

  private referenceTo(name: string): string {
    return `${this.format === 'json-schema' ? '#/$defs' : '#/components/schemas'}/${name}`;
  }

  /** The name of the schema that has a title. Input and output of the same title may have different schemas. */
  nameOf(side: Side, title: string): string {
    const [input, output] = [this.titled.input.get(title), this.titled.output.get(title)];
    const isShared = input === undefined || output === undefined || isSame(input, output);
    return side === 'output' || isShared ? title : `${title}Input`;
  }

  /** The schema of a value that the server reads; `name`: of an object without a title. */
  input(codec: AnyCodec, name?: string): JsonRecord {
    return this.root('input', codec, name);
  }

  /** The schema of a value that the server writes. */
  output(codec: AnyCodec, name?: string): JsonRecord {
    return this.root('output', codec, name);
  }

  private root(side: Side, { schema: { [side]: schema } }: AnyCodec, name = ''): JsonRecord {
    const isKept = name !== '' && isRecord(schema) && titleOf(schema) === undefined && isObject(schema);
    const made = isKept ? this.keep(side, schema, name) : this.part(side, schema, name);
    return isRecord(made) ? made : {};
  }

  /** Adds a named schema, and returns a reference to it. */
  private keep(side: Side, source: JsonRecord, name: string): JsonRecord {
    const first = this.sources.get(name);
    if (first !== undefined && !isSame(first, source)) throw new Error(`two schemas have the name ${name}`);
    const { description, default: usual } = source;
    const schema = without(source, ['title', 'description', 'default']);
    if (first === undefined) {
      this.sources.set(name, source);
      this.kept.set(name, {
        ...(this.format === 'openapi' ? {} : { title: name }),
        ...whereGiven('description', description),
        ...this.withParts(side, schema, name),
      });
    }
    const $ref = this.referenceTo(name);
    const isDescribed = (first ?? source)['description'] === description;
    if (this.format === 'asyncapi') return { $ref };
    return {
      $ref,
      ...whereGiven('description', isDescribed ? undefined : description),
      ...whereGiven('default', usual),
    };
  }

  /** A schema in another schema. `name`: the names of the fields above it. */
  private part(side: Side, value: Json, name: string): Json {
    if (!isRecord(value) || value['$ref'] !== undefined) return value;
    const schema = withNull(value);
    const title = titleOf(schema);
    if (title !== undefined) return this.keep(side, schema, this.nameOf(side, title));
    const made = this.withParts(side, schema, name);
    const isTitled = this.format !== 'openapi' && name !== '' && isModel(schema);
    return isTitled ? { title: name, ...made } : made;
  }

  private withParts(side: Side, schema: JsonRecord, name: string): JsonRecord {
    const { properties, required, items, additionalProperties, allOf } = schema;
    const within = (field: string): string => (name === '' ? '' : `${name}_${field}`);
    return {
      ...(isArray(required) && required.length === 0 ? without(schema, ['required']) : schema),
      ...(isRecord(properties) && {
        properties: mapRecord(properties, (value, field) => this.part(side, value, within(field))),
      }),
      ...(items !== undefined && { items: this.part(side, items, within('item')) }),
      ...(isRecord(additionalProperties) && {
        additionalProperties: this.part(side, additionalProperties, within('value')),
      }),
      ...(isArray(allOf) && {
        allOf: allOf.map((member) =>
          isRecord(member) && titleOf(member) === undefined
            ? this.withParts(side, member, name)
            : this.part(side, member, name),
        ),
      }),
      ...CHOICES.reduce((made, keyword) => {
        const members = schema[keyword];
        return isArray(members)
          ? { ...made, ...this.choice(side, keyword, members.filter(isRecord), name) }
          : made;
      }, {}),
    };
  }

  private choice(side: Side, keyword: string, members: readonly JsonRecord[], name: string): JsonRecord {
    const isOne = members.filter(hasModels).length < 2;
    const tag = members.every(isObject) ? tagOf(members) : undefined;
    const parts = members.map((member, index): Json => {
      const memberName = isOne || name === '' ? name : `${name}_${tag?.values[index] ?? index + 1}`;
      const isKept = !isOne && memberName !== '' && titleOf(member) === undefined && isObject(member);
      return isKept ? this.keep(side, member, memberName) : this.part(side, member, memberName);
    });
    const references = parts.flatMap((part) => (isRecord(part) ? (part['$ref'] ?? []) : []));
    const isNamed = references.length === parts.length && this.format === 'openapi';
    if (!isNamed || tag?.isRequired !== true) return { [keyword]: parts };
    const mapping: JsonRecord = Object.fromEntries<Json>(
      references.map((reference, index) => [tag.values[index] ?? '', reference]),
    );
    return { [keyword]: parts, discriminator: { propertyName: tag.field, mapping } };
  }
}
