/** The wire of a server as lines of text, from its documents: a line for each operation, and for each field of a schema. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { asyncApi, NO_EXAMPLES, openApi } from '../../src/api-docs/index.js';
import { isArray, isRecord } from '../../src/codecs/json.js';
import { contract as dice } from '../../src/dice/contract.js';
import type { Contract } from '../../src/contract/index.js';
import { contracts } from './recorder.js';

export const WIRE = 'docs/wire.txt';

const at = (value: Json | undefined, ...path: readonly string[]): JsonRecord => {
  const member = path.reduce<Json | undefined>((at, key) => (isRecord(at) ? at[key] : undefined), value);
  return isRecord(member) ? member : {};
};

const listOf = (value: Json | undefined): readonly JsonRecord[] =>
  isArray(value) ? value.filter(isRecord) : [];

const textsOf = (value: Json | undefined): readonly string[] => (isArray(value) ? value.map(textOf) : []);

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

const nameOf = ({ $ref }: JsonRecord): string => textOf($ref).split('/').at(-1) ?? '';

/** Keywords of limits, with the words before each limit. */
const LIMITS = { multipleOf: 'in steps of', minItems: 'at least', maxLength: 'at most' } as const;

const rangeOf = (schema: JsonRecord): string => {
  const { minimum, maximum, pattern, minProperties } = schema;
  const isLimited = minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER;
  return [
    ...(isLimited ? [` ${textOf(minimum)} to ${textOf(maximum)}`] : []),
    ...Object.entries(LIMITS).flatMap(([name, words]) =>
      schema[name] === undefined ? [] : [` ${words} ${textOf(schema[name])}`],
    ),
    ...(pattern === undefined ? [] : [` /${textOf(pattern)}/`]),
    ...(minProperties === undefined ? [] : [` with ${textOf(minProperties)} of them`]),
  ].join('');
};

/** The longest object on one line. Each field of a longer object has its own line. */
const MAX_OBJECT = 100;

const fieldsOf = ({
  properties,
  required,
}: JsonRecord): readonly (readonly [field: string, type: JsonRecord])[] =>
  Object.entries(at(properties)).map(([name, type]) => [
    textsOf(required).includes(name) ? name : `${name}?`,
    at(type),
  ]);

const usualOf = ({ default: usual }: JsonRecord): string =>
  usual === undefined ? '' : ` = ${JSON.stringify(usual)}`;

const objectOf = (schema: JsonRecord): string => {
  const fields = fieldsOf(schema).map(([field, type]) => `${field}: ${typeOf(type)}${usualOf(type)}`);
  const others = isRecord(schema['additionalProperties'])
    ? [`*: ${typeOf(schema['additionalProperties'])}`]
    : [];
  return [...fields, ...others].length === 0 ? '{}' : `{ ${[...fields, ...others].join(', ')} }`;
};

const typeOf = (schema: JsonRecord): string => {
  const { $ref, const: literal, enum: values, allOf, anyOf, oneOf, type, items } = schema;
  const choices = anyOf ?? oneOf;
  const isClosed = [schema['additionalProperties'], schema['unevaluatedProperties']].includes(false);
  const closed = isClosed ? ' and nothing else' : '';
  if ($ref !== undefined) return nameOf(schema);
  if (literal !== undefined) return JSON.stringify(literal);
  if (isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (isArray(allOf)) return `${listOf(allOf).map(typeOf).join(' & ')}${closed}`;
  if (isArray(choices) && type === undefined) return listOf(choices).map(typeOf).join(' | ');
  if (type === 'array') return `(${typeOf(at(items))})[]${rangeOf(schema)}`;
  if (type === 'object' || schema['properties'] !== undefined) {
    const object = objectOf(schema);
    const alternatives = listOf(choices).map(({ required }) => textsOf(required).join(' and '));
    const needed = alternatives.length === 0 ? '' : ` with ${alternatives.join(' or ')}`;
    return `${object.length > MAX_OBJECT ? '{ … }' : object}${rangeOf(schema)}${needed}${closed}`;
  }
  const types = isArray(type) ? type : [type ?? schema['contentMediaType'] ?? 'any'];
  return types.map((name) => (name === 'null' ? name : `${textOf(name)}${rangeOf(schema)}`)).join(' | ');
};

/** The lines of the fields of long objects. */
const fieldLines = (place: string, schema: JsonRecord): readonly string[] => {
  const { items, allOf, anyOf, oneOf, additionalProperties } = schema;
  const isLong = objectOf(schema).length > MAX_OBJECT;
  return [
    ...(isLong ? fieldsOf(schema) : []).flatMap(([field, type]) => [
      `${place}.${field}: ${typeOf(type)}${usualOf(type)}`,
      ...fieldLines(`${place}.${field}`, type),
    ]),
    ...(isRecord(items) ? fieldLines(`${place}[]`, items) : []),
    ...(isRecord(additionalProperties) ? fieldLines(`${place}.*`, additionalProperties) : []),
    ...[allOf, anyOf, oneOf].flatMap((parts) => listOf(parts).flatMap((part) => fieldLines(place, part))),
  ];
};

const schemaLines = (document: JsonRecord): readonly string[] =>
  Object.entries(at(document, 'components', 'schemas')).flatMap(([name, value]) => {
    const type = typeOf(at(value));
    return [...(type === '{ … }' ? [] : [`${name}: ${type}`]), ...fieldLines(name, at(value))];
  });

const codesIn = (response: JsonRecord): readonly string[] =>
  listOf(at(response, 'content', 'application/json', 'schema')['allOf']).flatMap((part) =>
    textsOf(at(part, 'properties', 'code')['enum']),
  );

const answerOf = (response: JsonRecord): string =>
  Object.entries(at(response, 'content'))
    .map(([mediaType, content]) =>
      mediaType === 'application/json' ? typeOf(at(content, 'schema')) : mediaType,
    )
    .join();

const scopeOf = (security: Json | undefined): string =>
  listOf(security).flatMap(({ token }) => textsOf(token))[0] ?? 'open';

const httpLines = (openapi: JsonRecord): readonly string[] => {
  const responses = at(openapi, 'components', 'responses');
  const operations = Object.entries(at(openapi, 'paths')).flatMap(([path, methods]) =>
    Object.entries(at(methods)).map(([method, operation]) => ({
      row: `${method.toUpperCase()} ${path}`,
      operation: at(operation),
      failures: Object.entries(at(operation, 'responses')).flatMap(([status, response]) =>
        codesIn(at(responses, nameOf(at(response)))).map((code) => `${status} ${code}`),
      ),
    })),
  );
  const [first, ...further] = operations.map(({ failures }) => failures);
  const common = (first ?? []).filter((failure) => further.every((codes) => codes.includes(failure)));
  const lines = operations.flatMap(({ row, operation, failures }) => {
    const { parameters, requestBody = null, responses: answers, security } = operation;
    const request = isRecord(requestBody)
      ? ` ${typeOf(at(requestBody, 'content', 'application/json', 'schema'))}${requestBody['required'] === true ? '' : '?'}`
      : '';
    const special = failures.filter((failure) => !common.includes(failure));
    return [
      `${row} (${scopeOf(security)})${request} -> ${[answerOf(at(answers, '200')), ...special].join(', ')}`,
      ...listOf(parameters).map(
        ({ in: place, name, schema }) => `${row} ${textOf(place)} ${textOf(name)}: ${typeOf(at(schema))}`,
      ),
    ];
  });
  return [`any request -> ${common.join(', ')}`, ...lines];
};

const messageLines = (asyncapi: JsonRecord): readonly string[] => {
  const channels = Object.entries(at(asyncapi, 'channels')).flatMap(([, value]) => {
    const { address, bindings, 'x-errors': errors } = at(value);
    const query = Object.entries(at(bindings, 'ws', 'query', 'properties'));
    return [
      ...query.map(([name, schema]) => `${textOf(address)} query ${name}: ${typeOf(at(schema))}`),
      ...(errors === undefined ? [] : [`${textOf(address)} upgrade -> ${textsOf(errors).join(', ')}`]),
    ];
  });
  const operations = Object.values(at(asyncapi, 'operations')).map((value) => {
    const operation = at(value);
    const [trait] = listOf(operation['traits']);
    const {
      'x-scope': scope,
      'x-errors': errors,
      bindings,
    } = {
      ...at(asyncapi, 'components', 'operationTraits', trait === undefined ? '' : nameOf(trait)),
      ...operation,
    };
    const channel = at(asyncapi, 'channels', nameOf(at(operation, 'channel')));
    const typesOf = (side: JsonRecord): string => {
      const of = at(asyncapi, 'channels', nameOf(at(side, 'channel')), 'messages');
      const names = isArray(side['messages']) ? listOf(side['messages']).map(nameOf) : Object.keys(of);
      return names
        .map((name) => {
          const { $ref, payload } = at(of, name);
          return $ref === undefined ? typeOf(at(payload)) : nameOf({ $ref });
        })
        .join(' | ');
    };
    const retained = at(bindings, 'mqtt')['retain'] === true ? ' retained' : '';
    const reply = operation['reply'] === undefined ? '' : ` -> ${typesOf(at(operation, 'reply'))}`;
    const row = `${textOf(channel['address'])} ${textOf(operation['action'])}s`;
    const failures = textsOf(errors)
      .map((code) => `, ${code}`)
      .join('');
    return `${row}${scope === undefined ? '' : ` (${textOf(scope)})`}${retained} ${typesOf(operation)}${reply}${failures}`;
  });
  return [...channels, ...operations];
};

const linesOf = (contract: Contract): readonly string[] => {
  const openapi = openApi(contract, NO_EXAMPLES);
  const asyncapi = asyncApi(contract, NO_EXAMPLES);
  const schemas = new Set([...schemaLines(openapi), ...schemaLines(asyncapi)]);
  return [...httpLines(openapi), ...messageLines(asyncapi), ...schemas];
};

/**
 * The lines of all servers. Each line begins with the name of its server, and with the flag of the server without which it
 * does not apply.
 */
export const wireLines = (): readonly string[] => {
  const withoutFlags = new Set(linesOf(dice));
  return contracts.flatMap((contract) =>
    linesOf(contract).map((line) => {
      const flag = contract.name === dice.name && !withoutFlags.has(line) ? ' --simulator' : '';
      return `${contract.name}${flag} ${line}`;
    }),
  );
};
