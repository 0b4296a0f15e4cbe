/** A row for each operation over HTTP. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import {
  decode,
  described,
  object,
  objectWith,
  queryFields,
  anything,
  type AnyCodec,
  type Codec,
  type Fields,
} from '../codecs/index.js';
import type { Access, FailureCode } from './failures.js';
import { type Operation, type TypeTable } from './operation.js';

/** The subjects by which documents group operations, with their descriptions. */
export const subjects = {
  Connections: 'Dice in range, and their sessions',
  LEDs: 'Colours and pulses of a die',
  Die: 'Battery, taps and calibration of a die',
  Memory: 'What the server remembers: names, rolls and readings',
  Clocks: 'Clocks that are connected, and their readings',
  Devices: 'The simulated devices: who is there, what they do, how they misbehave',
  Air: 'Signals, distances and losses',
  Faults: 'Single faults, and plans of chaos',
  Adapters: 'The Bluetooth controllers of hosts, and what strict ones find wrong',
  Proxies: 'Bluetooth proxies of ESPHome on the radio',
  Capture: 'HCI packets of all controllers',
  World: 'The simulation as a whole',
  Operation: 'Health, metrics and the log',
  Documents: 'The documents of this API',
  Other: 'Other operations',
} as const;

export type Subject = keyof typeof subjects;

/** A text of another media type than JSON, sent piece by piece. */
export class TextStream {
  constructor(
    readonly mediaType: string,
    readonly pieces: AsyncIterable<string>,
  ) {}
}

/** The codec of an answer that clients may also get as a text of one of `mediaTypes`. */
export const streamed = <A>(
  codec: Codec<A, Json>,
  mediaTypes: readonly string[],
): Codec<A | TextStream, Json | TextStream> & { readonly mediaTypes: readonly string[] } =>
  Object.assign(
    described(
      new t.Type<A | TextStream, Json | TextStream>(
        codec.name,
        (value): value is A | TextStream => value instanceof TextStream || codec.is(value),
        (value, context) => codec.validate(value, context),
        (answer) => (answer instanceof TextStream ? answer : codec.encode(answer)),
      ),
      codec.schema.input,
      codec.schema.output,
    ),
    { mediaTypes },
  );

/** The media types of an answer beside JSON. */
export const streamedTypes = (response: AnyCodec): readonly string[] =>
  'mediaTypes' in response ? (response as ReturnType<typeof streamed>).mediaTypes : [];

export interface RawRequest {
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
  /** The JSON value of the body; undefined if the operation reads no body. */
  readonly body: unknown;
}

/** A `required` body must be a JSON value, an `optional` one may be left out and counts as `{}`; an `ignored` body is skipped. */
export type BodyIs = 'required' | 'optional' | 'ignored';

/** JSON, the bytes of a file, or a stream. */
export type Answer = Json | Buffer | TextStream;

interface EndpointOptions<P extends Fields, Q extends Fields, A> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path as Express writes it: `/api/battery/:session_id`. */
  readonly path: string;
  /** One line, such as "Lists the sessions". */
  readonly summary: string;
  /** Documents show operations of one subject together; `Other` unless given. */
  readonly subject?: Subject;
  /** Unless given, `read` for GET and `full` for all else. */
  readonly access?: Access;
  /** Whether the limit of requests counts the operation; true unless given. */
  readonly counted?: boolean;
  /** Whether the operation is in the metrics of commands; unless given, true if it needs a token. */
  readonly isMeasured?: boolean;
  /** The named parts of the path. */
  readonly params?: P;
  /** The fields of the query, each optional. */
  readonly query?: Q;
  /** A codec of JSON, or `bytes` of another media type. */
  readonly response: Codec<A, Answer>;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fails?: readonly FailureCode[];
}

export interface WithBody<B> {
  readonly body: Codec<B, unknown>;
  readonly bodyIs?: Exclude<BodyIs, 'ignored'>;
}

export interface Endpoint<EndpointInput, Output>
  extends
    Operation<RawRequest, EndpointInput, Output, Answer>,
    Readonly<
      Pick<
        Required<EndpointOptions<Fields, Fields, unknown>>,
        'method' | 'path' | 'subject' | 'counted' | 'headers'
      >
    > {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: AnyCodec | undefined;
  readonly bodyIs: BodyIs;
}

export type AnyEndpoint = Endpoint<unknown, never>;

/** Endpoints by name. */
export type Endpoints<S extends TypeTable> = {
  readonly [N in keyof S]: Endpoint<S[N]['input'], S[N]['output']>;
};

export interface Input<P extends Fields, Q extends Fields> {
  readonly params: t.TypeOf<t.TypeC<P>>;
  readonly query: t.TypeOf<t.PartialC<Q>>;
}

/** An endpoint with the type of its answer. */
export interface WithResponse<A> {
  readonly response: Codec<A, Answer>;
}

type NoFields = Readonly<Record<string, never>>;

export function endpoint<A, P extends Fields = NoFields, Q extends Fields = NoFields>(
  row: EndpointOptions<P, Q, A>,
): Endpoint<Input<P, Q>, A> & WithResponse<A>;
export function endpoint<A, B, P extends Fields = NoFields, Q extends Fields = NoFields>(
  row: EndpointOptions<P, Q, A> & WithBody<B>,
): Endpoint<Input<P, Q> & { readonly body: B }, A> & WithResponse<A> & Pick<WithBody<B>, 'body'>;
export function endpoint<A>({
  params = {},
  query = {},
  access,
  counted = true,
  isMeasured = access !== 'open',
  subject = 'Other',
  body,
  bodyIs = 'required',
  headers = {},
  fails = [],
  ...row
}: EndpointOptions<Fields, Fields, A> & Partial<WithBody<unknown>>): Endpoint<
  Input<Fields, Fields> & { readonly body: unknown },
  A
> &
  WithResponse<A> {
  const readParams = decode(object(params), 'the path');
  const readQuery = decode(objectWith({}, query), 'the query');
  const readBody = decode(body ?? anything, 'the body');
  return {
    ...row,
    access: access ?? (row.method === 'GET' ? 'read' : 'full'),
    counted,
    isMeasured,
    subject,
    params,
    query,
    body,
    bodyIs: body === undefined ? 'ignored' : bodyIs,
    headers,
    fails,
    read: (request) =>
      pipe(
        E.Do,
        E.bind('params', () => readParams(request.params)),
        E.bind('query', () => readQuery(queryFields(query, request.query))),
        E.bind('body', () => readBody(request.body)),
      ),
    write: (answer) => row.response.encode(answer),
  };
}
