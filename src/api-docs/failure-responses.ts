/** The responses of failed operations. A document has each response once. */
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

/** The codecs of the parameters and the body of a request. */
export const takenBy = ({ params, query, body }: AnyEndpoint): readonly AnyCodec[] => [
  ...Object.values(params),
  ...Object.values(query),
  ...(body === undefined ? [] : [body]),
];

/** The error codes of an operation. */
const codesOf = (endpoint: AnyEndpoint): readonly FailureCode[] => [
  ...new Set<FailureCode>([
    ...endpoint.fails,
    ...BY_ACCESS[endpoint.access],
    ...(takenBy(endpoint).some(({ name }) => name !== text.name) ? (['invalid_input'] as const) : []),
    ...(endpoint.bodyIs === 'ignored' ? [] : WITH_BODY),
    ...ANYWHERE.filter((code) => endpoint.counted || code !== 'too_many_requests'),
  ]),
];

/** The error codes of an operation that have the same status. */
interface Failure {
  readonly status: number;
  readonly codes: readonly FailureCode[];
}

const failuresOf = (endpoint: AnyEndpoint): readonly Failure[] => {
  const codes = codesOf(endpoint);
  const statuses = [...new Set(codes.map((code) => failures[code].status))].sort((a, b) => a - b);
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
 * The responses of a contract. A response of one code has the name of the code. If all responses of a status have the codes of
 * one, this has the name of the status (`Forbidden`). Others are named by their first operation (`BadRequestOfConnect`).
 */
export const failureResponses = ({ endpoints }: Contract, examples: Examples): FailureResponses => {
  const first = new Map<string, Failure & { readonly operation: string }>();
  for (const [operation, endpoint] of Object.entries(endpoints))
    for (const failure of failuresOf(endpoint))
      if (!first.has(keyOf(failure))) first.set(keyOf(failure), { ...failure, operation });

  const nameOf = (failure: Failure): string => {
    const { status, codes } = failure;
    const [code] = codes;
    if (code !== undefined && codes.length === 1) return code;
    const ofStatus = [...first.values()].filter((response) => response.status === status);
    const isGeneral = ofStatus.every((response) => codes.every((each) => response.codes.includes(each)));
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
