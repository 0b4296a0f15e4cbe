/** The fields of a value, by its JSON Schema, and changes of one of them. */
import type { JsonSchema } from '../../src/codecs/index.js';
import { isObject, type Json, type JsonObject } from './mutating-proxy.js';
import type { Edit } from './mutation.js';

export interface Field {
  /** Names of members; `*` is every element of a list, or every member of an object. */
  readonly path: readonly string[];
  readonly schema: JsonObject;
  readonly isNullable: boolean;
  readonly isOptional: boolean;
}

const EACH = '*';

const objects = (json: Json): readonly JsonObject[] => (Array.isArray(json) ? json.filter(isObject) : []);

const isNull = ({ type }: JsonObject): boolean => type === 'null';

/** The first choice of `anyOf` that is not null. */
export const choiceOf = (schema: JsonObject): JsonObject => {
  const choices = 'properties' in schema ? [] : objects(schema['anyOf']);
  const choice = choices.find((candidate) => !isNull(candidate));
  return choice === undefined ? schema : choiceOf(choice);
};

const below = (name: string, schema: JsonObject, isOptional: boolean): readonly Field[] =>
  fieldsOf(schema, isOptional).map((field) => ({ ...field, path: [name, ...field.path] }));

/** The values in a value: itself, or its members and theirs, and each list too. */
export const fieldsOf = (whole: JsonSchema | JsonObject, isOptional = false): readonly Field[] => {
  const parts = objects(whole['allOf']);
  if (parts.length > 0) return parts.flatMap((part) => fieldsOf(part));
  const schema = choiceOf(whole);
  const isNullable = objects(whole['anyOf']).some(isNull);
  const here: Field = { path: [], schema, isNullable, isOptional };
  const { properties, required, additionalProperties, items } = schema;
  if (isObject(properties)) {
    const always = Array.isArray(required) ? required : [];
    return Object.entries(properties).flatMap(([name, member]) =>
      isObject(member) ? below(name, member, !always.includes(name)) : [],
    );
  }
  if (isObject(additionalProperties)) return below(EACH, additionalProperties, false);
  if (isObject(items)) return [here, ...below(EACH, items, false)];
  return 'type' in schema || 'const' in schema ? [here] : [];
};

/** A change of the values at a path. A value that is missing stays so. */
export const editAt = ([first, ...rest]: readonly string[], change: Edit): Edit => {
  if (first === undefined) return change;
  const inner = editAt(rest, change);
  return (json) => {
    if (first === EACH && Array.isArray(json)) return json.map(inner);
    if (!isObject(json)) return json;
    if (first === EACH)
      return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, inner(value)]));
    return first in json ? { ...json, [first]: inner(json[first]) } : json;
  };
};
