import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { object, oneOf, text, type AnyCodec, type Fields } from '../codecs/index.js';
import {
  ANYWHERE,
  BY_ACCESS,
  errorFields,
  failures,
  mediaType,
  subjects,
  UNMATCHED_REQUEST,
  WITH_BODY,
  type AnyEndpoint,
  type Contract,
  type FailureCode,
} from '../contract/index.js';
import { openComponents, type Components } from './components.js';
import { whereGiven, type Examples, type OperationExamples } from './examples.js';
import { failureList, plain } from './markdown.js';
import { info } from './info.js';

const TOKEN = 'token';

/** Whether a server asks for tokens; `optional`: some servers of the contract do. */
export type Tokens = 'none' | 'optional' | 'required';

const NOT_SEEN: OperationExamples = { answers: {} };

const takenBy = ({ params, query, body }: AnyEndpoint): readonly AnyCodec[] => [
  ...Object.values(params),
  ...Object.values(query),
  ...(body === undefined ? [] : [body]),
];

/** The codes that an operation may answer with. */
const codesOf = (endpoint: AnyEndpoint): readonly FailureCode[] => [
  ...new Set<FailureCode>([
    ...endpoint.fails,
    ...BY_ACCESS[endpoint.access],
    ...(takenBy(endpoint).some(({ name }) => name !== text.name) ? (['invalid_input'] as const) : []),
    ...(endpoint.bodyIs === 'ignored' ? [] : WITH_BODY),
    ...ANYWHERE.filter((code) => endpoint.counted || code !== 'too_many_requests'),
  ]),
];

const byStatus = (codes: readonly FailureCode[]): ReadonlyMap<number, readonly FailureCode[]> => {
  const statuses = [...new Set(codes.map((code) => failures[code].status))].sort((one, other) => one - other);
  return new Map(
    statuses.map((status) => [status, codes.filter((code) => failures[code].status === status)]),
  );
};

const RETRY_AFTER = {
  headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } } },
};

const failureResponse = (
  status: number,
  codes: readonly FailureCode[],
  { answers }: OperationExamples,
): JsonRecord => {
  const seen = codes.flatMap((code) => {
    const value = answers[`${status} ${code}`];
    return value === undefined ? [] : [[code, { summary: failures[code].summary, value }] as const];
  });
  return {
    description: failureList(codes),
    ...(status === failures.too_many_requests.status ? RETRY_AFTER : {}),
    content: {
      'application/json': {
        schema: object(errorFields(oneOf(codes))).schema.output,
        ...(seen.length === 0 ? {} : { examples: Object.fromEntries(seen) }),
      },
    },
  };
};

/** It was seen as the text that it is in a URL. */
const exampleOf = ({ schema }: AnyCodec, seen: Json | undefined): Json | undefined =>
  seen !== undefined && (schema.input['type'] === 'number' || schema.input['type'] === 'integer')
    ? Number(seen)
    : seen;

const parametersOf = (
  place: 'path' | 'query',
  fields: Fields,
  { input }: Components,
  { parameters = {} }: OperationExamples,
): readonly JsonRecord[] =>
  Object.entries(fields).map(([name, codec]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: input(codec),
    ...whereGiven('example', exampleOf(codec, parameters[name])),
  }));

const bodyOf = (
  { body, bodyIs }: AnyEndpoint,
  { input }: Components,
  { request }: OperationExamples,
): JsonRecord =>
  body === undefined
    ? {}
    : {
        requestBody: {
          required: bodyIs === 'required',
          content: { 'application/json': { schema: input(body), ...whereGiven('example', request) } },
        },
      };

/** An empty requirement stands for no token. */
const securityOf = ({ access }: AnyEndpoint, tokens: Tokens): readonly JsonRecord[] =>
  access === 'open' || tokens === 'none'
    ? []
    : [...(tokens === 'optional' ? [{}] : []), { [TOKEN]: [access] }];

const operationOf = (
  operationId: string,
  endpoint: AnyEndpoint,
  components: Components,
  examples: OperationExamples,
  tokens: Tokens,
): JsonRecord => {
  const { summary, subject, params, query, response } = endpoint;
  const success = {
    description: 'Success',
    content: {
      [mediaType(endpoint)]: {
        schema: components.output(response),
        ...whereGiven('example', examples.answers['200 ok']),
      },
    },
  };
  const refused = [...byStatus(codesOf(endpoint))].map(
    ([status, codes]) => [status, failureResponse(status, codes, examples)] as const,
  );
  return {
    operationId,
    summary: plain(summary),
    tags: [subject],
    security: securityOf(endpoint, tokens),
    parameters: [
      ...parametersOf('path', params, components, examples),
      ...parametersOf('query', query, components, examples),
    ],
    ...bodyOf(endpoint, components, examples),
    responses: { 200: success, ...Object.fromEntries(refused) },
  };
};

const SCHEME: JsonRecord = {
  type: 'http',
  scheme: 'bearer',
  description:
    'Where the server has tokens; what an operation is marked with is the scope it needs: `read`, or `full`, which allows all',
};

/** `/api/battery/:session_id` as `/api/battery/{session_id}`. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

/** The HTTP API of a server, as OpenAPI 3.1. */
export const openApi = (contract: Contract, examples: Examples, tokens: Tokens = 'optional'): JsonRecord => {
  const endpoints = Object.entries(contract.endpoints);
  const components = openComponents(
    endpoints.flatMap(([, endpoint]) => takenBy(endpoint)),
    endpoints.map(([, { response }]) => response),
  );
  const paths: Record<string, JsonRecord> = {};
  for (const [id, endpoint] of endpoints) {
    const path = templateOf(endpoint.path);
    const operation = operationOf(id, endpoint, components, examples.operations[id] ?? NOT_SEEN, tokens);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  const elsewhere = `Any other request fails with one of these codes:\n\n${failureList(UNMATCHED_REQUEST)}`;
  const sockets = contract.sockets.map(({ path }) => `\`${path}\``).join(', ');
  return {
    openapi: '3.1.0',
    info: {
      ...info(contract, `WebSockets (${sockets}) are described by \`/asyncapi.json\`.`, elsewhere),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(([, { subject }]) => subject))].map((name) => ({
      name,
      description: subjects[name],
    })),
    paths,
    components: {
      schemas: components.schemas,
      ...(tokens === 'none' ? {} : { securitySchemes: { [TOKEN]: SCHEME } }),
    },
  };
};
