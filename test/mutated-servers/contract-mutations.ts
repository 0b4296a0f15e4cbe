/** Mutations that the rows of the contracts give: wrong values of all fields, wrong limits of all inputs, and leaking filters. */
import type { AnyCodec } from '../../src/codecs/index.js';
import {
  failures,
  WITH_BODY,
  type AnyCommand,
  type AnyEndpoint,
  type Contract,
  type FailureCode,
  type Socket,
} from '../../src/contract/index.js';
import type { Kind } from '../../src/contract/kinds.js';
import { contract as clock } from '../../src/clock/contract.js';
import { simulatedContract as dice } from '../../src/dice/contract.js';
import { EXCLUDED, lineOf } from './lines.js';
import { isObject, type Change, type Json, type JsonObject } from './mutating-proxy.js';
import { edit, messages, type Edit, type Mutation } from './mutation.js';
import { editAt, fieldsOf, type Field } from './schema-fields.js';
import { leaks, wrongLimits, wrongValues, type Fault } from './wrong-values.js';

const CONTRACTS: Readonly<Record<Kind, Contract>> = { dice, clock };

/** Without a field that a mutation could change. */
const UNFIT = ['metrics', 'openapi', 'asyncapi', 'docs'];

/** One kind of values that pass the proxy, with the way to change them there. */
interface Part {
  /** The operation of an answer, or the name of an event. */
  readonly of: string;
  readonly fields: readonly Field[];
  readonly faults: (field: Field) => readonly Fault[];
  readonly changeOf: (field: Field, change: Edit) => Change;
}

const exclusionOf = (kind: Kind, defect: string): Pick<Mutation, 'excluded'> => {
  const [, excluded] = Object.entries(EXCLUDED[kind]).find(([start]) => defect.startsWith(start)) ?? [];
  return excluded === undefined ? {} : { excluded };
};

const faultsOfPart = (kind: Kind, { of, fields, faults, changeOf }: Part): readonly Mutation[] =>
  fields.flatMap((field) =>
    faults(field).map(({ name, change }): Mutation => {
      const names = field.path.filter((step) => step !== '*');
      const defect = `${[of, ...names].join('.')} ${name}`;
      return {
        tag: lineOf(kind, of, names, defect),
        defect,
        change: changeOf(field, change),
        scenario: undefined,
        ...exclusionOf(kind, defect),
      };
    }),
  );

const propertiesOf = ({ schema }: AnyCodec): JsonObject => {
  const { properties, items } = schema.output;
  if (isObject(properties)) return properties;
  return isObject(items) && isObject(items['properties']) ? items['properties'] : {};
};

/** The faults of a field of a request to a row. */
const inputFaults =
  ({ response }: Pick<AnyCommand, 'response'>) =>
  (field: Field): readonly Fault[] => [
    ...wrongLimits(field, propertiesOf(response)[field.path[0] ?? '']),
    ...(field.isOptional ? [{ name: 'is ignored', change: () => undefined }] : []),
  ];

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '([^/?]+)')}(?=\\?|$)`);

const isNumeric = ({ schema: { type } }: Field): boolean => type === 'integer' || type === 'number';

/** Changes a field in the query of `path`; undefined drops it. */
const editQuery = (path: string, field: Field, change: Edit): string => {
  const [plain = '', query = ''] = path.split('?');
  const [name = '', ...inner] = field.path;
  const search = new URLSearchParams(query);
  const values = search.getAll(name);
  if (values.length === 0) return path;
  const isList = field.schema['type'] === 'array' || inner.length > 0;
  const asked = isNumeric(field)
    ? values.map((text) => (Number.isNaN(Number(text)) ? text : Number(text)))
    : values;
  const changed = isList ? editAt(inner, change)(asked) : change(asked[0]);
  search.delete(name);
  for (const value of [changed].flat() as readonly (string | number | undefined)[])
    if (value !== undefined) search.append(name, String(value));
  return search.size === 0 ? plain : `${plain}?${search}`;
};

const queryOf = (query: Readonly<Record<string, AnyCodec>>): readonly Field[] =>
  Object.entries(query).flatMap(([name, { schema }]) =>
    fieldsOf(schema.input, true).map((field) => ({ ...field, path: [name, ...field.path] })),
  );

const partsOfEndpoint = (of: string, row: AnyEndpoint): readonly Part[] => {
  const pattern = patternOf(row.path);
  const isAsked = (asked: { method: string; path: string }): boolean =>
    asked.method === row.method && pattern.test(asked.path);
  const faults = inputFaults(row);
  return [
    {
      of,
      fields: fieldsOf(row.response.schema.output),
      faults: wrongValues,
      changeOf: ({ path }, change) => ({
        answer: (answered, asked) =>
          isAsked(asked) && answered.status < 300
            ? { ...answered, json: editAt(path, change)(answered.json) }
            : answered,
      }),
    },
    {
      of,
      fields: row.body === undefined ? [] : fieldsOf(row.body.schema.input),
      faults,
      changeOf: ({ path }, change) => ({
        ask: (asked) => (isAsked(asked) ? editAt(path, change)(asked.body) : asked.body),
      }),
    },
    {
      of,
      fields: queryOf(row.query),
      faults: (field) => [...wrongLimits(field, undefined), ...leaks(field)],
      changeOf: (field, change) => ({
        path: (asked) => (isAsked(asked) ? editQuery(asked.path, field, change) : asked.path),
      }),
    },
    {
      of,
      fields: queryOf(row.params).map((field) => ({ ...field, isOptional: false })),
      faults,
      changeOf: ({ path: [name = ''] }, change) => {
        const index = Object.keys(row.params).indexOf(name) + 1;
        return {
          path: (asked) => {
            const text = isAsked(asked) ? pattern.exec(asked.path)?.[index] : undefined;
            if (text === undefined) return asked.path;
            const changed = String(change(decodeURIComponent(text)));
            return asked.path.replace(text, encodeURIComponent(changed).replaceAll('%3A', ':'));
          },
        };
      },
    },
  ];
};

const partsOfCommand = (of: string, row: AnyCommand): readonly Part[] => [
  {
    of,
    fields: fieldsOf(row.response.schema.output),
    faults: wrongValues,
    changeOf: ({ path }, change) => ({
      message: (message, command) => [
        command?.['type'] === of && message['error'] === null
          ? edit('result', editAt(path, change))(message)
          : message,
      ],
    }),
  },
  {
    of,
    fields: fieldsOf(row.parameters.schema.input),
    faults: inputFaults(row),
    changeOf: ({ path }, change) => ({
      say: (message) =>
        isObject(message['command']) && message['command']['type'] === of
          ? edit('command', editAt(path, change))(message)
          : message,
    }),
  },
];

/** The errors that the scenarios of an operation provoke: of its input, and of a device or session that it does not find. */
const PROVOKED: readonly FailureCode[] = [
  ...(['invalid_input', 'invalid_json', 'body_too_large', 'unsupported_media_type'] as const),
  ...(['session_not_found', 'not_connected', 'unknown_device', 'command_refused'] as const),
];

/** Another code of the same status, if there is one: of the same operation, else of another. */
const otherCode = (code: FailureCode, documented: readonly FailureCode[]): string => {
  const all = [...documented, ...(Object.keys(failures) as FailureCode[])];
  const isLike = (other: FailureCode): boolean =>
    other !== code && failures[other].status === failures[code].status;
  return all.find(isLike) ?? 'internal_error';
};

/** An operation that answers one of its errors with the code of another. */
const codeFaults = (
  kind: Kind,
  of: string,
  documented: readonly FailureCode[],
  changeOf: (change: Edit) => Change,
): readonly Mutation[] =>
  PROVOKED.filter((code) => documented.includes(code)).map((code) => {
    const other = otherCode(code, documented);
    const defect = `${of} answers ${code} as ${other}`;
    const change: Edit = (json) =>
      isObject(json) && json['code'] === code ? { ...json, code: other } : json;
    return {
      ...{ tag: lineOf(kind, of, [], defect), defect, change: changeOf(change), scenario: 'The code of' },
      ...exclusionOf(kind, defect),
    };
  });

/** A request without a body, query or parameter of the path is always valid. */
const codesOf = ({ params, query, body, bodyIs, fails }: AnyEndpoint): readonly FailureCode[] => [
  ...fails,
  ...(bodyIs === 'ignored' ? [] : WITH_BODY),
  ...(body !== undefined ||
  [...Object.keys(params), ...Object.keys(query)].some((name) => name !== 'session_id')
    ? (['invalid_input'] as const)
    : []),
];

const codeFaultsOfEndpoint = (kind: Kind, of: string, row: AnyEndpoint): readonly Mutation[] => {
  const pattern = patternOf(row.path);
  return codeFaults(kind, of, codesOf(row), (change) => ({
    answer: (answered, asked) =>
      asked.method === row.method && pattern.test(asked.path)
        ? { ...answered, json: change(answered.json) }
        : answered,
  }));
};

const codeFaultsOfCommand = (kind: Kind, of: string, row: AnyCommand): readonly Mutation[] =>
  codeFaults(kind, of, ['invalid_input', ...row.fails], (change) => ({
    message: (message, command) => [command?.['type'] === of ? change(message) : message],
  }));

/** The objects of which a message may be one. */
const variantsOf = (schema: Json): readonly JsonObject[] => {
  if (!isObject(schema)) return [];
  const { anyOf } = schema;
  return Array.isArray(anyOf) && !('properties' in schema) ? anyOf.flatMap(variantsOf) : [schema];
};

const NAMES = ['kind', 'event'];

/** The field with an event's name, and the names that it may have. */
const namesOf = (variant: JsonObject): readonly [field: string, names: readonly Json[]] => {
  const { properties } = variant;
  const field = NAMES.find((name) => isObject(properties) && name in properties) ?? '';
  const { enum: names } = ((isObject(properties) ? properties[field] : undefined) ?? {}) as JsonObject;
  return [field, Array.isArray(names) ? names : []];
};

const partsOfEvents = ({ events }: Socket<unknown>): readonly Part[] => {
  const eventPart = (of: string, fields: readonly Field[], fits: (message: JsonObject) => boolean): Part => ({
    of,
    fields,
    faults: wrongValues,
    changeOf: ({ path }, change) => messages(fits, editAt(path, change)),
  });
  return events.flatMap(({ schema: { output } }) => {
    const { allOf } = output;
    if (Array.isArray(allOf)) {
      // An event in full: its own fields are those of the event.
      return [
        eventPart(
          'each event',
          allOf.slice(1).flatMap((origin) => fieldsOf(origin as JsonObject)),
          () => true,
        ),
      ];
    }
    return variantsOf(output).flatMap((variant) => {
      const [field, names] = namesOf(variant);
      return names.map((name) =>
        eventPart(String(name), fieldsOf(variant), (message) => message[field] === name),
      );
    });
  });
};

/** The ids of requests may be wider than 32 bits. */
const ids = (socket: Socket<unknown>): readonly Part[] =>
  Object.keys(socket.commands).length === 0
    ? []
    : [
        {
          of: 'each answer',
          fields: [{ path: ['id'], schema: { type: 'integer' }, isNullable: false, isOptional: false }],
          faults: (field) => [
            ...wrongValues(field),
            { name: 'is cut to 32 bits', change: (id) => Number(BigInt.asUintN(32, BigInt(Number(id)))) },
          ],
          changeOf: ({ path }, change) => messages((message) => !('event' in message), editAt(path, change)),
        },
      ];

const partsOfSocket = (socket: Socket<unknown>): readonly Part[] => [
  ...Object.entries(socket.commands).flatMap(([name, row]) => partsOfCommand(name, row)),
  ...ids(socket),
  ...partsOfEvents(socket),
  {
    of: 'ws',
    fields: queryOf(socket.query),
    faults: (field) => [...wrongLimits(field, undefined), ...leaks(field)],
    changeOf: (field, change) => ({ upgrade: (path) => editQuery(path, field, change) }),
  },
];

export const contractMutations = (kind: Kind): readonly Mutation[] => {
  const { endpoints, sockets } = CONTRACTS[kind];
  const parts = [
    ...Object.entries(endpoints)
      .filter(([name]) => !UNFIT.includes(name))
      .flatMap(([name, row]) => partsOfEndpoint(name, row)),
    ...sockets.flatMap(partsOfSocket),
  ];
  const all = [
    ...parts.flatMap((part) => faultsOfPart(kind, part)),
    ...Object.entries(endpoints)
      .filter(([name]) => !UNFIT.includes(name))
      .flatMap(([name, row]) => codeFaultsOfEndpoint(kind, name, row)),
    ...sockets.flatMap(({ commands }) =>
      Object.entries(commands).flatMap(([name, row]) => codeFaultsOfCommand(kind, name, row)),
    ),
  ];
  return [...new Map(all.map((mutation) => [mutation.defect, mutation])).values()];
};
