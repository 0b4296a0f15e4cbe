/** Wrong values that fit the schema of a field, and limits of a field that are narrower or wider than its schema's. */
import { isObject, type Json, type JsonObject } from './mutating-proxy.js';
import { choiceOf, type Field } from './schema-fields.js';
import type { Edit } from './mutation.js';

export interface Fault {
  readonly name: string;
  readonly change: Edit;
}

const isNumber = (json: Json): json is number => typeof json === 'number';
const isText = (json: Json): json is string => typeof json === 'string';

const numbers = (change: (value: number) => number): Edit => {
  return (json) => (isNumber(json) ? change(json) : json);
};
const texts = (change: (value: string) => string): Edit => {
  return (json) => (isText(json) ? change(json) : json);
};

const later = (ms: number): Edit =>
  texts((time) => new Date(Date.parse(time.replace(' ', '+')) + ms).toISOString());

const other = (character: string): string =>
  /[0-8a-eA-E]/.test(character)
    ? String.fromCharCode(character.charCodeAt(0) + 1)
    : /[9fF]/.test(character)
      ? '0'
      : character === 'x'
        ? 'y'
        : 'x';

/** Another text of the same shape: a time 50 s later, the next address, another last character. */
const anotherText = (text: string): string => {
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return String(later(50_000)(text));
  return text.slice(0, -1) + other(text.slice(-1));
};

const after = (values: readonly unknown[], value: Json): Json =>
  values[(values.indexOf(value) + 1) % values.length];

/** Another value of the same schema. */
const another = ({ enum: values, type, multipleOf, maximum }: JsonObject): Edit => {
  const step = isNumber(multipleOf) ? multipleOf : type === 'integer' ? 1 : 0.5;
  const most = isNumber(maximum) ? maximum : Infinity;
  return (json) => {
    if (Array.isArray(values)) return json === null ? json : after(values, json);
    if (typeof json === 'boolean') return !json;
    return texts(anotherText)(numbers((value) => (value + step > most ? value - step : value + step))(json));
  };
};

/** Measurements that vary by some units: a client can tell the sign alone. */
const ROUGH: readonly (string | undefined)[] = ['rssi'];

/** The faults of a field of an answer or of an event. */
export const wrongValues = ({ path, schema, isNullable }: Field): readonly Fault[] => {
  const { type, const: only, enum: values } = schema;
  if (type === 'array') {
    const shorter: Edit = (json) => (Array.isArray(json) ? json.slice(0, -1) : json);
    return [{ name: 'lacks its last element', change: shorter }];
  }
  const hasOneValue = isText(only) || only === null || (Array.isArray(values) && values.length === 1);
  const wrong = ROUGH.includes(path.at(-1))
    ? { name: 'has the other sign', change: numbers((value) => -value) }
    : { name: 'is another', change: another(schema) };
  return [...(hasOneValue ? [] : [wrong]), ...(isNullable ? [{ name: 'is null', change: () => null }] : [])];
};

const ILLEGAL = 'not this';

/** Values of every pattern of the contracts. */
const LEGAL = ['D1:CE:00:00:00:01', 'FF0000', '00000000', '07:30', 'AAAA'];

const EXAMPLE_TIME = '2026-01-01T00:00:00Z';

const limitsOfNumbers = ({ type, minimum, maximum, multipleOf }: JsonObject): readonly Fault[] => {
  // Any integer that JSON can hold.
  if (minimum === Number.MIN_SAFE_INTEGER) return [];
  // The least: a scan of the longest duration would take minutes.
  const legal = [minimum, maximum].find(isNumber) ?? 0;
  const limit = (value: Json, direction: 1 | -1): readonly Fault[] => {
    if (!isNumber(value)) return [];
    const step = isNumber(multipleOf) ? multipleOf : type === 'integer' ? 1 : Math.min(1, Math.abs(value));
    const beyond = value + direction * step;
    const isBeyond = (asked: number): boolean =>
      (asked - value) * direction > 0 && (beyond - asked) * direction >= 0;
    return [
      { name: `${value} is refused`, change: numbers((asked) => (asked === value ? beyond : asked)) },
      { name: `${beyond} is taken`, change: numbers((asked) => (isBeyond(asked) ? legal : asked)) },
    ];
  };
  const steps = isNumber(multipleOf)
    ? [
        {
          name: `no multiple of ${multipleOf} is needed`,
          change: numbers((asked) => Math.floor(asked / multipleOf) * multipleOf),
        },
      ]
    : [];
  return [...limit(minimum, -1), ...limit(maximum, 1), ...steps];
};

const limitsOfLengths = ({ minLength, maxLength }: JsonObject): readonly Fault[] => {
  const limit = (value: Json, beyond: (text: string) => string, within: (text: string) => string) => {
    if (!isNumber(value)) return [];
    const past = beyond('x'.repeat(value)).length;
    const ofLength = (length: number, change: (text: string) => string): Edit =>
      texts((text) => (text.length === length ? change(text) : text));
    return [
      { name: `of ${value} characters is refused`, change: ofLength(value, beyond) },
      { name: `of ${past} characters is taken`, change: ofLength(past, within) },
    ];
  };
  const cut = (text: string): string => text.slice(0, -1);
  const extended = (text: string): string => `${text}x`;
  return [...limit(minLength, cut, extended), ...limit(maxLength, extended, cut)];
};

const formsOf = (schema: JsonObject, answered: JsonObject | undefined): readonly Fault[] => {
  const { pattern, format, enum: values } = schema;
  if (Array.isArray(values)) {
    const [first] = values as readonly Json[];
    const isLast = (value: Json): boolean => value === values.at(-1);
    const isValue = (value: Json): boolean => values.includes(value) || value === null;
    return [
      { name: `${String(values.at(-1))} is refused`, change: (value) => (isLast(value) ? ILLEGAL : value) },
      { name: 'of any name is taken', change: (value) => (isValue(value) ? value : first) },
    ];
  }
  if (format === 'date-time')
    return [
      {
        name: 'of any form is taken',
        change: texts((value) => (/T.+(Z|[+ -]\d\d:?\d\d)$/.test(value) ? value : EXAMPLE_TIME)),
      },
    ];
  if (!isText(pattern)) return [];
  const fits = (form: string, value: string): boolean => new RegExp(form).test(value);
  const example = LEGAL.find((value) => fits(pattern, value)) ?? '';
  const usual = answered?.['pattern'];
  const strict =
    isText(usual) && usual !== pattern
      ? [
          {
            name: 'in another form than that of answers is refused',
            change: texts((value) => (fits(pattern, value) && !fits(usual, value) ? ILLEGAL : value)),
          },
        ]
      : [];
  return [
    ...strict,
    { name: 'of any form is taken', change: texts((value) => (fits(pattern, value) ? value : example)) },
  ];
};

/** Narrower and wider limits of a field of a request, as changes of the request. `answered`: the schema of the field in answers. */
export const wrongLimits = ({ schema }: Field, answered: Json): readonly Fault[] => [
  ...limitsOfNumbers(schema),
  ...limitsOfLengths(schema),
  ...formsOf(schema, isObject(answered) ? choiceOf(answered) : undefined),
];

/** The faults of a filter in a query. */
export const leaks = ({ schema, isOptional }: Field): readonly Fault[] => {
  const { type, format } = schema;
  return [
    ...(isOptional ? [{ name: 'is ignored', change: () => undefined }] : []),
    ...(type === 'integer' ? [{ name: 'is off by one', change: numbers((value) => value + 1) }] : []),
    ...(format === 'date-time' ? [{ name: 'is off by 1 ms', change: later(1) }] : []),
  ];
};
