/** Schemas that are a choice of several: their members, and the field that tells these apart. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { isArray, isRecord } from '../codecs/json.js';

/** The keywords whose members are the same value as the schema that has them. */
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

/** The only text that a value may be, beside null. */
const constantIn = (schema: Json): string | undefined => {
  if (!isRecord(schema)) return undefined;
  const { const: only, enum: some } = schema;
  const constant = isArray(some) && some.length === 1 ? some[0] : only;
  if (typeof constant === 'string') return constant;
  const [first, ...others] = recordsOf(schema, ...CHOICES).filter(({ type }) => type !== 'null');
  return first === undefined || others.length > 0 ? undefined : constantIn(first);
};

/** The fields of an object that have one text, with it; a field of a choice has the same text in all members. */
const constantsOf = (schema: JsonRecord): ReadonlyMap<string, string> => {
  const { properties } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const direct = fields.flatMap(([field, value]) => {
    const constant = constantIn(value);
    return constant === undefined ? [] : [[field, constant] as const];
  });
  const [first, ...others] = recordsOf(schema, ...CHOICES).map(constantsOf);
  const common = [...(first ?? [])].filter(([field, value]) =>
    others.every((other) => other.get(field) === value),
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
  /** Its value in each member. */
  readonly values: readonly string[];
  /** Whether each member must have the field. */
  readonly isRequired: boolean;
}

/** The field whose value tells `members` apart; undefined without such a field. */
export const tagOf = (members: readonly JsonRecord[]): Tag | undefined => {
  const constants = members.map(constantsOf);
  for (const field of constants[0]?.keys() ?? []) {
    const values = constants.flatMap((one) => one.get(field) ?? []);
    if (values.length === members.length && new Set(values).size === members.length)
      return { field, values, isRequired: members.every((member) => isRequired(member, field)) };
  }
  return undefined;
};
