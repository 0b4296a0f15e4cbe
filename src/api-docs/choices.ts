/** Schemas that are a choice: their members, and the field that distinguishes the members. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { isArray, isRecord } from '../codecs/json.js';

/** The keywords of a choice, whose members describe the same value as the schema itself. */
export const CHOICES = ['anyOf', 'oneOf'] as const;

const recordsOf = (schema: JsonRecord, ...keywords: readonly string[]): readonly JsonRecord[] =>
  keywords.flatMap((keyword) => {
    const members = schema[keyword];
    return isArray(members) ? members.filter(isRecord) : [];
  });

/** Whether a value of the schema is an object. */
export const isObject = (schema: JsonRecord): boolean => {
  const members = recordsOf(schema, ...CHOICES);
  const isChoice = members.length > 0 && members.every(isObject);
  return schema['type'] === 'object' || schema['allOf'] !== undefined || isChoice;
};

/** The only text that a schema allows, beside null. */
const constantIn = (schema: Json): string | undefined => {
  if (!isRecord(schema)) return undefined;
  const { const: literal, enum: values } = schema;
  const constant = isArray(values) && values.length === 1 ? values[0] : literal;
  if (typeof constant === 'string') return constant;
  const [first, ...further] = recordsOf(schema, ...CHOICES).filter(({ type }) => type !== 'null');
  return first === undefined || further.length > 0 ? undefined : constantIn(first);
};

/** The fields that have one constant text, with this text. In a choice, all members must have the same text. */
const constantsOf = (schema: JsonRecord): ReadonlyMap<string, string> => {
  const { properties } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const direct = fields.flatMap(([field, value]) => {
    const constant = constantIn(value);
    return constant === undefined ? [] : [[field, constant] as const];
  });
  const [first, ...further] = recordsOf(schema, ...CHOICES).map(constantsOf);
  const common = [...(first ?? [])].filter(([field, value]) =>
    further.every((member) => member.get(field) === value),
  );
  return new Map([
    ...recordsOf(schema, 'allOf').flatMap((part) => [...constantsOf(part)]),
    ...direct,
    ...common,
  ]);
};

const isRequired = (schema: JsonRecord, field: string): boolean => {
  const { required } = schema;
  const members = recordsOf(schema, ...CHOICES);
  return (
    (isArray(required) && required.includes(field)) ||
    recordsOf(schema, 'allOf').some((part) => isRequired(part, field)) ||
    (members.length > 0 && members.every((member) => isRequired(member, field)))
  );
};

export interface Tag {
  readonly field: string;
  /** The value of the field in each member. */
  readonly values: readonly string[];
  /** Whether each member must have the field. */
  readonly isRequired: boolean;
}

/** The field whose value distinguishes `members`. Undefined without such a field. */
export const tagOf = (members: readonly JsonRecord[]): Tag | undefined => {
  const constants = members.map(constantsOf);
  for (const field of constants[0]?.keys() ?? []) {
    const values = constants.flatMap((fields) => fields.get(field) ?? []);
    if (values.length === members.length && new Set(values).size === members.length)
      return { field, values, isRequired: members.every((member) => isRequired(member, field)) };
  }
  return undefined;
};
