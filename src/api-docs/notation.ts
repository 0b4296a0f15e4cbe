/** A schema in HTML like a type, `{ "slot": integer 0 to 15, "name"?: string | null }`, with a description of each field. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { escaped } from '../html/index.js';
import { isArray, isRecord } from '../codecs/json.js';

const REFERENCE = '#/components/schemas/';
const OR = ' | ';
const AND = ' &amp; ';

const written = (value: Json): string => escaped(JSON.stringify(value));

const limits = ({ minimum, maximum, multipleOf }: JsonRecord): string => {
  if (minimum === undefined || maximum === undefined || minimum === Number.MIN_SAFE_INTEGER) return '';
  const steps = multipleOf === undefined ? '' : ` in steps of ${written(multipleOf)}`;
  return ` ${written(minimum)} to ${written(maximum)}${steps}`;
};

const patternOf = ({ pattern }: JsonRecord): string =>
  typeof pattern === 'string' ? ` /${escaped(pattern)}/` : '';

const hasSeveralParts = ({ type, enum: values, allOf, anyOf, oneOf }: JsonRecord): boolean =>
  [values, allOf, type, ...(type === undefined ? [anyOf, oneOf] : [])].some(
    (parts) => isArray(parts) && parts.length > 1,
  );

/** The description of a field, or else of the first of its forms that has a description. */
const descriptionOf = (schema: Json): string | undefined => {
  if (!isRecord(schema)) return undefined;
  const { description, anyOf = [], oneOf = [] } = schema;
  if (typeof description === 'string') return description;
  return [anyOf, oneOf]
    .flatMap((forms) => (isArray(forms) ? forms : []))
    .map(descriptionOf)
    .find((text) => text !== undefined);
};

const comment = (schema: Json): string => {
  const description = descriptionOf(schema);
  return description === undefined ? '' : ` <i>// ${escaped(description)}</i>`;
};

/** `refer`: a link to the schema of this name. */
export const notation = (refer: (name: string) => string): ((schema: Json) => string) => {
  /** A schema as one part: in parentheses if it has several parts. */
  const grouped = (schema: Json): string =>
    isRecord(schema) && hasSeveralParts(schema) ? `(${of(schema)})` : of(schema);

  /** The fields of an object, each with the schema of its value. */
  const fieldsOf = ({
    properties,
    required,
    additionalProperties,
  }: JsonRecord): readonly (readonly [field: string, schema: Json])[] => {
    const isRequired = (name: string): boolean => isArray(required) && required.includes(name);
    const named = Object.entries(isRecord(properties) ? properties : {}).map(
      ([name, schema]) => [`${written(name)}${isRequired(name) ? '' : '?'}`, schema] as const,
    );
    return isRecord(additionalProperties) ? [...named, ['…', additionalProperties]] : named;
  };

  const objectOf = (schema: JsonRecord): string => {
    const lines = fieldsOf(schema).map(([field, value], index, { length }) => {
      const comma = index === length - 1 ? '' : ',';
      return `\n  ${field}: ${of(value).replaceAll('\n', '\n  ')}${comma}${comment(value)}`;
    });
    return lines.length === 0 ? '{}' : `{${lines.join('')}\n}`;
  };

  const ofType = (schema: JsonRecord): string => {
    const { type, items = {} } = schema;
    if (type === 'object') return objectOf(schema);
    if (type === 'array') return `${grouped(items)}[]`;
    if (isArray(type)) return type.map((name) => ofType({ ...schema, type: name })).join(OR);
    if (type === 'null') return type;
    return typeof type === 'string' ? `${type}${limits(schema)}${patternOf(schema)}` : 'any JSON value';
  };

  const of = (schema: Json): string => {
    if (!isRecord(schema)) return '';
    const { $ref, const: literal, enum: values, allOf, anyOf, oneOf } = schema;
    if (typeof $ref === 'string') return refer($ref.slice(REFERENCE.length));
    if (literal !== undefined) return written(literal);
    if (isArray(values)) return values.map(written).join(OR);
    if (isArray(allOf)) return allOf.map(grouped).join(AND);
    const choices = anyOf ?? oneOf;
    return isArray(choices) && schema['type'] === undefined ? choices.map(of).join(OR) : ofType(schema);
  };

  return of;
};
