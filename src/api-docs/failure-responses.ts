/** The responses of operations that fail, each of which a document keeps once. */
import { STATUS_CODES } from 'node:http';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { text, type AnyCodec } from '../codecs/index.js';
import {
  ANYWHERE,
  BY_ACCESS,
  failures,
  WITH_BODY,
  type AnyEndpoint,
  type Contract,
  type FailureCode,
} from '../contract/index.js';
import { type Examples, failureList, pascalCase } from './parts.js';

export interface FailureResponses {
  /** References by status. */
  readonly of: (endpoint: AnyEndpoint) => JsonRecord;
  /** All responses by name. */
  readonly all: JsonRecord;
}

/** The codecs of what a client sends. */
export const takenBy = ({ params, query, body }: AnyEndpoint): readonly AnyCodec[] => [
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

/** The codes of one status that an operation may answer with. */
interface Failure {
  readonly status: number;
  readonly codes: readonly FailureCode[];
}

const failuresOf = (endpoint: AnyEndpoint): readonly Failure[] => {
  const codes = codesOf(endpoint);
  const statuses = [...new Set(codes.map((code) => failures[code].status))].sort((one, other) => one - other);
  return statuses.map((status) => ({
    status,
    codes: codes.filter((code) => failures[code].status === status),
  }));
};

const keyOf = ({ status, codes }: Failure): string => `${status} ${codes.join(' ')}`;

const RETRY_AFTER = {
  headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } } },
};

const responseOf = ({ status, codes }: Failure, { errors }: Examples): JsonRecord => {
  const seen = codes
    .filter((code) => errors[code] !== undefined)
    .map((code) => [code, { $ref: `#/components/examples/${code}` }] as const);
  return {
    description: failureList(codes),
    ...(status === failures.too_many_requests.status ? RETRY_AFTER : {}),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { code: { enum: codes, description: 'One of these' } } },
          ],
        },
        ...(seen.length === 0 ? {} : { examples: Object.fromEntries(seen) }),
      },
    },
  };
};

/**
 * The responses of a contract. One with a single code has its name; of others, the one whose codes all of its status have is named
 * by the status, such as `Forbidden`, and the rest by the first operation that has it, such as `BadRequestOfConnect`.
 */
export const failureResponses = ({ endpoints }: Contract, examples: Examples): FailureResponses => {
  const first = new Map<string, Failure & { readonly operation: string }>();
  for (const [operation, endpoint] of Object.entries(endpoints))
    for (const failure of failuresOf(endpoint))
      if (!first.has(keyOf(failure))) first.set(keyOf(failure), { ...failure, operation });

  const nameOf = (failure: Failure): string => {
    const { status, codes } = failure;
    const [only] = codes;
    if (only !== undefined && codes.length === 1) return only;
    const others = [...first.values()].filter((other) => other.status === status);
    const isGeneral = others.every((other) => codes.every((code) => other.codes.includes(code)));
    const name = (STATUS_CODES[status] ?? '').replaceAll(' ', '');
    return isGeneral ? name : `${name}Of${pascalCase(first.get(keyOf(failure))?.operation ?? '')}`;
  };
  return {
    of: (endpoint) =>
      Object.fromEntries(
        failuresOf(endpoint).map((failure) => [
          failure.status,
          { $ref: `#/components/responses/${nameOf(failure)}` },
        ]),
      ),
    all: Object.fromEntries(
      [...first.values()].map((failure) => [nameOf(failure), responseOf(failure, examples)]),
    ),
  };
};
