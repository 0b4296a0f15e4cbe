/** Forms from a JSON Schema: the variants of a body, and the fields of each. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { parse, type Json } from 'fp-ts/lib/Json.js';
import { dereferenced } from '../../src/codecs/json.js';

export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  /** The text of a list has spaces between its items; `json` is for nested values. */
  readonly kind: 'number' | 'boolean' | 'choice' | 'text' | 'list' | 'json';
  readonly choices: readonly string[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly isWhole: boolean;
  /** The default of an optional field; empty without a default. */
  readonly usual: string;
}

export interface Variant {
  /** The fields that distinguish the variant, such as `type`. */
  readonly constants: Readonly<Record<string, string>>;
  readonly fields: readonly Field[];
}

type Properties = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

export const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** The text of a value in an input. */
export const writtenOf = (value: unknown): string => {
  if (isPlain(value)) return String(value);
  if (Array.isArray(value) && value.every(isPlain)) return value.map(String).join(' ');
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? JSON.stringify(value)
    : '';
};

const jsonField = (name: string, isRequired: boolean, usual: string): Field => ({
  ...{ name, isRequired, usual, kind: 'json', choices: [], isWhole: false },
  ...{ minimum: undefined, maximum: undefined },
});

/** The type of a schema beside `null`. */
const typeOf = ({ type }: Properties): unknown =>
  Array.isArray(type) ? type.find((name) => name !== 'null') : type;

/** Undefined for a field without an input. */
const fieldOf = (name: string, isRequired: boolean, schema: unknown): Field | undefined => {
  if (!isObject(schema)) return undefined;
  const [only, ...more] = listOf(schema['anyOf']).filter((s) => !isObject(s) || s['type'] !== 'null');
  const usual = writtenOf(schema['default']);
  if (only !== undefined && more.length === 0) {
    const field = fieldOf(name, isRequired, only);
    return field && { ...field, usual };
  }
  if (typeOf(schema) === 'array') {
    const item = fieldOf(name, isRequired, schema['items']);
    return item?.kind === 'text' || item?.kind === 'choice'
      ? { ...item, kind: 'list', usual }
      : jsonField(name, isRequired, usual);
  }
  if (typeOf(schema) === 'object') return jsonField(name, isRequired, usual);
  const choices = listOf(schema['enum']).map(String);
  const { minimum, maximum } = schema;
  const type = only === undefined ? typeOf(schema) : 'string';
  const kind = choices.length > 0 ? 'choice' : type === 'integer' ? 'number' : type;
  if (kind !== 'choice' && kind !== 'number' && kind !== 'boolean' && kind !== 'string') return undefined;
  return {
    ...{ name, isRequired, choices, kind: kind === 'string' ? 'text' : kind, usual },
    ...{ minimum: numberOf(minimum), maximum: numberOf(maximum), isWhole: type === 'integer' },
  };
};

/** Both variants as one; undefined if a constant contradicts a field. */
const combined = (common: Variant, particular: Variant): Variant | undefined => {
  const constants = { ...common.constants, ...particular.constants };
  const allows = ({ name, choices }: Field): boolean => {
    const constant = constants[name];
    return constant === undefined || choices.length === 0 || choices.includes(constant);
  };
  // The inputs of the last part of `allOf`, which has the particular fields, come first.
  const fields = [...particular.fields, ...common.fields];
  return fields.every(allows)
    ? { constants, fields: fields.filter(({ name }) => !(name in constants)) }
    : undefined;
};

export const variantsOf = (schema: unknown): readonly Variant[] => {
  if (!isObject(schema)) return [];
  const alternatives = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])];
  if (alternatives.length > 0) return alternatives.flatMap(variantsOf);
  const [first, ...furtherParts] = listOf(schema['allOf']).map(variantsOf);
  if (first !== undefined)
    return furtherParts.reduce(
      (variants, parts) => variants.flatMap((a) => parts.flatMap((b) => combined(a, b) ?? [])),
      first,
    );
  const properties = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const required = listOf(schema['required']);
  return [
    {
      constants: Object.fromEntries(
        properties.flatMap(([name, field]) =>
          isObject(field) && typeof field['const'] === 'string' ? [[name, field['const']]] : [],
        ),
      ),
      fields: properties.flatMap(([name, field]) => fieldOf(name, required.includes(name), field) ?? []),
    },
  ];
};

const propertyOf = (schema: unknown, name: string): unknown => {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties[name] : undefined;
};

/** The variants of the items of a list in a body. */
export const itemsOf = (schema: unknown, name: string): readonly Variant[] => {
  const list = propertyOf(schema, name);
  return isObject(list) ? variantsOf(list['items']) : [];
};

export interface Kind {
  readonly actions: readonly Variant[];
  readonly behaviour: Variant;
  readonly start: Variant;
}

const NOTHING: Variant = { constants: {}, fields: [] };

/** The kinds in the document of the server, including kinds that only its world has. */
export const kindsOf = (document: Json): ReadonlyMap<string, Kind> => {
  const partsOf = (name: string): readonly unknown[] => {
    const schema = dereferenced(document, ['components', 'schemas', name]);
    return isObject(schema) ? [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])] : [];
  };
  const actions = partsOf('Action');
  return new Map(
    partsOf('DeviceSpec').flatMap((spec, index) =>
      variantsOf(spec).map((start) => [
        start.constants['kind'] ?? '',
        {
          actions: variantsOf(actions[index]),
          behaviour: variantsOf(propertyOf(spec, 'behaviour'))[0] ?? NOTHING,
          start,
        },
      ]),
    ),
  );
};

/** The entered text, by field. */
export type Entered = Readonly<Record<string, string>>;

export const isComplete = ({ fields }: Variant, entered: Entered): boolean =>
  fields.every(
    ({ name, isRequired, kind }) => !isRequired || kind === 'boolean' || (entered[name] ?? '') !== '',
  );

type Value = Json | readonly string[];

/** The values of a request, by field. */
export type Body = Readonly<Record<string, Value>>;

export const listIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((item) => item !== '');

/** The value of JSON; invalid JSON stays text, and the server reports the error. */
const jsonOf = (text: string): Json =>
  pipe(
    parse(text),
    E.getOrElse((): Json => text),
  );

const valueOf = ({ kind }: Field, text: string): Value => {
  switch (kind) {
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'list':
      return listIn(text);
    case 'json':
      return jsonOf(text);
    case 'choice':
    case 'text':
      return text;
  }
};

/** The body of the entered text, without empty fields. */
export const bodyOf = ({ constants, fields }: Variant, entered: Entered): Body => ({
  ...constants,
  ...Object.fromEntries(
    fields.flatMap((field) => {
      const text = entered[field.name] ?? '';
      const isEmpty = text === '' && !(field.kind === 'boolean' && field.isRequired);
      return isEmpty ? [] : [[field.name, valueOf(field, text)]];
    }),
  ),
});
