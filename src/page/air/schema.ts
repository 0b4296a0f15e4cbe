/** What forms need of a JSON Schema: which variants a body has, and the fields of each. */

export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly kind: 'number' | 'boolean' | 'choice' | 'text';
  readonly choices: readonly string[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly isWhole: boolean;
}

export interface Variant {
  /** What tells it from others, such as its `type`. */
  readonly constants: Readonly<Record<string, string>>;
  readonly fields: readonly Field[];
}

type Properties = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

/** Undefined: none that a form has an input for. */
const fieldOf = (name: string, isRequired: boolean, schema: unknown): Field | undefined => {
  if (!isObject(schema)) return undefined;
  const [only, ...others] = listOf(schema['anyOf']).filter((one) => !isObject(one) || one['type'] !== 'null');
  if (only !== undefined && others.length === 0) return fieldOf(name, isRequired, only);
  const choices = listOf(schema['enum']).map(String);
  const { minimum, maximum } = schema;
  const type = only === undefined ? schema['type'] : 'string';
  const kind = choices.length > 0 ? 'choice' : type === 'integer' ? 'number' : type;
  if (kind !== 'choice' && kind !== 'number' && kind !== 'boolean' && kind !== 'string') return undefined;
  return {
    ...{ name, isRequired, choices, kind: kind === 'string' ? 'text' : kind },
    ...{ minimum: numberOf(minimum), maximum: numberOf(maximum), isWhole: type === 'integer' },
  };
};

export const variantsOf = (schema: unknown): readonly Variant[] => {
  if (!isObject(schema)) return [];
  const several = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])];
  if (several.length > 0) return several.flatMap(variantsOf);
  const properties = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const required = listOf(schema['required']);
  return [
    {
      constants: Object.fromEntries(
        properties.flatMap(([name, one]) =>
          isObject(one) && typeof one['const'] === 'string' ? [[name, one['const']]] : [],
        ),
      ),
      fields: properties.flatMap(([name, one]) => fieldOf(name, required.includes(name), one) ?? []),
    },
  ];
};

/** The actions that the devices of each kind know, as the server's document says: its world may have kinds of its own. */
export const actionsOf = (document: unknown): ReadonlyMap<string, readonly Variant[]> => {
  const components = isObject(document) ? document['components'] : undefined;
  const schemas = isObject(components) ? components['schemas'] : undefined;
  if (!isObject(schemas) || !isObject(schemas['Action'])) return new Map();
  const actions = listOf(schemas['Action']['anyOf']);
  return new Map(
    variantsOf(schemas['DeviceSpec']).map(({ constants }, index) => [
      constants['kind'] ?? '',
      variantsOf(actions[index]),
    ]),
  );
};

/** What was entered, by field. */
export type Entered = Readonly<Record<string, string>>;

export const isComplete = ({ fields }: Variant, entered: Entered): boolean =>
  fields.every(
    ({ name, isRequired, kind }) => !isRequired || kind === 'boolean' || (entered[name] ?? '') !== '',
  );

const valueOf = ({ kind }: Field, text: string): string | number | boolean =>
  kind === 'number' ? Number(text) : kind === 'boolean' ? text === 'true' : text;

/** The body of what was entered; fields without a value are left out. */
export const bodyOf = (
  { constants, fields }: Variant,
  entered: Entered,
): Readonly<Record<string, string | number | boolean>> => ({
  ...constants,
  ...Object.fromEntries(
    fields.flatMap((field) => {
      const text = entered[field.name] ?? '';
      const isNone = text === '' && !(field.kind === 'boolean' && field.isRequired);
      return isNone ? [] : [[field.name, valueOf(field, text)]];
    }),
  ),
});
