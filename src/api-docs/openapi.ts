import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import type { AnyCodec, Fields } from '../codecs/index.js';
import {
  ErrorBody,
  mediaType,
  streamedTypes,
  subjects,
  UNMATCHED_REQUEST,
  type AnyEndpoint,
  type Contract,
} from '../contract/index.js';
import { Components } from './components.js';
import { whereGiven, type Examples, info, failureList, pascalCase, plain } from './parts.js';
import { failureResponses, takenBy, type FailureResponses } from './failure-responses.js';

const TOKEN = 'token';

/** Whether servers need tokens; `optional`: some servers of the contract do. */
export type Tokens = 'none' | 'optional' | 'required';

/** The example of a parameter, which a URL has as text. */
const exampleOf = ({ schema }: AnyCodec, value: Json | undefined): Json | undefined =>
  value !== undefined && (schema.input['type'] === 'number' || schema.input['type'] === 'integer')
    ? Number(value)
    : value;

/** The security of an operation. An empty requirement means no token. */
const securityOf = ({ access }: AnyEndpoint, tokens: Tokens): readonly JsonRecord[] =>
  access === 'open' || tokens === 'none'
    ? []
    : [...(tokens === 'optional' ? [{}] : []), { [TOKEN]: [access] }];

const TEXT: JsonRecord = { type: 'string' };

/** The parts of a document that operations share. */
interface Context {
  readonly components: Components;
  readonly responses: FailureResponses;
  readonly examples: Examples;
  readonly tokens: Tokens;
}

const operationOf = (id: string, endpoint: AnyEndpoint, context: Context): JsonRecord => {
  const { components, responses, tokens } = context;
  const { summary, subject, params, query, response, body, bodyIs } = endpoint;
  const { request, parameters = {}, answer } = context.examples.operations[id] ?? {};
  const inPlace = (place: 'path' | 'query', fields: Fields): readonly JsonRecord[] =>
    Object.entries(fields).map(([name, codec]) => ({
      name,
      in: place,
      required: place === 'path',
      schema: components.input(codec),
      ...whereGiven('example', exampleOf(codec, parameters[name])),
    }));
  const content = (type: string, schema: JsonRecord, example: Json | undefined): JsonRecord => ({
    [type]: { schema, ...whereGiven('example', example) },
  });
  return {
    operationId: id,
    summary: plain(summary),
    tags: [subject],
    security: securityOf(endpoint, tokens),
    parameters: [...inPlace('path', params), ...inPlace('query', query)],
    ...(body !== undefined && {
      requestBody: {
        required: bodyIs === 'required',
        content: content('application/json', components.input(body, `${pascalCase(id)}Request`), request),
      },
    }),
    responses: {
      200: {
        description: 'Success',
        content: {
          ...content(mediaType(endpoint), components.output(response, `${pascalCase(id)}Response`), answer),
          ...Object.fromEntries(streamedTypes(response).map((type) => [type, { schema: TEXT }])),
        },
      },
      ...responses.of(endpoint),
    },
  };
};

const SCHEME: JsonRecord = {
  type: 'http',
  scheme: 'bearer',
  description:
    'If the server has tokens; each operation names the scope that the token needs: `read`, or `full`, which allows every operation',
};

/** `/api/battery/:session_id` as `/api/battery/{session_id}`. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

/** The HTTP API of a server, as OpenAPI 3.1. */
export const openApi = (contract: Contract, examples: Examples, tokens: Tokens = 'optional'): JsonRecord => {
  const endpoints = Object.entries(contract.endpoints);
  const components = new Components({
    input: endpoints.flatMap(([, endpoint]) => takenBy(endpoint)),
    output: [ErrorBody, ...endpoints.map(([, { response }]) => response)],
    format: 'openapi',
  });
  const responses = failureResponses(contract, examples);
  const paths: Record<string, JsonRecord> = {};
  for (const [id, endpoint] of endpoints) {
    const path = templateOf(endpoint.path);
    const operation = operationOf(id, endpoint, { components, responses, examples, tokens });
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  const unmatched = `Any other request fails with one of these codes:\n\n${failureList(UNMATCHED_REQUEST)}`;
  const sockets = contract.sockets.map(({ path }) => `\`${path}\``).join(', ');
  return {
    openapi: '3.1.0',
    info: {
      ...info(contract, `WebSockets (${sockets}) are described by \`/asyncapi.json\`.`, unmatched),
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
      responses: responses.all,
      examples: Object.fromEntries(Object.entries(examples.errors).map(([code, value]) => [code, { value }])),
      ...(tokens === 'none' ? {} : { securitySchemes: { [TOKEN]: SCHEME } }),
    },
  };
};
