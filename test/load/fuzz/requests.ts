/** Requests over HTTP and messages to WebSockets as bytes: valid ones by a contract, and invalid ones. */
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { requestOf, type AnyEndpoint, type Contract, type Socket } from '../../../src/contract/index.js';
import { bodies, oneOfKnown, validJson, type Known } from './values.js';

export interface Request {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Whether it asks for a WebSocket, whatever its path serves. */
  readonly upgrades: boolean;
  readonly bytes: Buffer;
  /** Whether the client closes the connection without waiting for an answer. */
  readonly leaves: boolean;
}

const mostly = <A>(usual: fc.Arbitrary<A>, other: fc.Arbitrary<A>, weight = 12): fc.Arbitrary<A> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other });

const METHODS = 'GET HEAD POST PUT DELETE OPTIONS PATCH TRACE CONNECT QUERY get X'.split(' ');

const TARGETS = [
  ...'/ // * /.. /% /%ff /%2e%2e/%00 /ws /events /health/ /Health /docs/../health /health?%'.split(' '),
  ...'http://evil.example/health /health#x /health?a=1&a=2&a[b]=3'.split(' '),
  ...['', `/${'x'.repeat(20_000)}`],
];

/** Unescaped text for the first line or a header of a request: it has no line breaks. */
const odd = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, ''));

/** Half of a pair of surrogates cannot be escaped. */
const escaped = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const partOf = (endpoint: AnyEndpoint, name: string, known: Known): fc.Arbitrary<string> => {
  const valid = validJson(endpoint.params[name]?.schema.input ?? {}, known).map(String);
  const some = known[name];
  return fc.oneof(
    ...(some === undefined ? [] : [{ weight: 5, arbitrary: oneOfKnown(some) }]),
    { weight: 2, arbitrary: valid.map((text) => escaped(text)) },
    { weight: 1, arbitrary: odd.map((text) => text.replaceAll(/[\s/]/g, '')) },
  );
};

const pathOf = (endpoint: AnyEndpoint, known: Known): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...endpoint.path
        .split('/')
        .map((part) => (part.startsWith(':') ? partOf(endpoint, part.slice(1), known) : fc.constant(part))),
    )
    .map((parts) => parts.join('/'));

const queryOf = ({ query }: AnyEndpoint, known: Known): fc.Arbitrary<string> => {
  const fields = Object.entries(query).map(([name, { schema }]) =>
    mostly(validJson(schema.input, known).map(String), odd, 3).map((value) => `${name}=${escaped(value)}`),
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 4, arbitrary: fc.tuple(...fields).map((given) => given.join('&')) },
    { weight: 1, arbitrary: odd.map((text) => text.replaceAll(/\s/g, '+')) },
  );
};

const UPGRADE = 'Upgrade: websocket';

const HEADERS = [
  ...`Accept: text/html
Authorization: Bearer x
Authorization: Basic !
Cookie: a=b
Range: bytes=0-1
Origin: null
Origin: https://evil.example
Origin: ://
X-Forwarded-For: ::
X-Forwarded-Host: evil
Expect: 100-continue
Expect: miracles
If-None-Match: *
Upgrade: h2c
Content-Length: -1
TE: x
Transfer-Encoding: gzip
Sec-WebSocket-Protocol: bearer.x
Host: localhost
X: 1
: x
A b: c
Content-Encoding: br
Content-Encoding: zstd
Content-Encoding: deflate`.split('\n'),
  `X-Long: ${'x'.repeat(20_000)}`,
  `${UPGRADE}\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==`,
  `${UPGRADE}\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 7`,
];

const TYPES = [
  ...['', 'text/plain', 'application/json; charset=utf-16', 'application/json;;'],
  ...['\u00ff', 'multipart/form-data'],
];

const headers: fc.Arbitrary<readonly string[]> = fc
  .tuple(
    mostly(
      fc.constant('Host: localhost'),
      fc.constantFrom('Host: evil.example', 'Host: [::1]:80', 'Host:', 'Host: a b', 'X-No: host'),
      30,
    ),
    mostly(
      fc.constant('Content-Type: application/json'),
      fc.constantFrom(...TYPES.map((type) => `Content-Type: ${type}`)),
    ),
    mostly(
      fc.constant<readonly string[]>([]),
      fc.array(
        fc.oneof(
          fc.constantFrom(...HEADERS),
          odd.map((text) => `X-Odd: ${text}`),
        ),
        { maxLength: 3 },
      ),
      4,
    ),
  )
  .map(([host, type, more]) => [host, type, ...more]);

interface Payload {
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Whether its headers announce more than its body has. */
  readonly unfinished?: boolean;
}

const chunked = (body: Buffer, size: string): Buffer =>
  Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

/** How a body is sent. */
const payloadOf = (body: Buffer): fc.Arbitrary<Payload> => {
  const length = (bytes: number): string => `Content-Length: ${bytes}`;
  const whole: Payload = { headers: [length(body.length)], body };
  const zipped = gzipSync(body);
  const inChunks = { headers: ['Transfer-Encoding: chunked'] };
  return mostly(
    fc.constant(whole),
    fc.constantFrom<Payload>(
      {
        ...inChunks,
        body: body.length === 0 ? Buffer.from('0\r\n\r\n') : chunked(body, body.length.toString(16)),
      },
      { ...inChunks, body: chunked(body, 'zz') },
      { headers: ['Content-Encoding: gzip', length(zipped.length)], body: zipped },
      { headers: ['Content-Encoding: gzip', length(body.length)], body },
      { headers: [length(Math.max(0, body.length - 1))], body },
      { headers: [length(body.length + 5)], body, unfinished: true },
      { headers: [], body },
    ),
  );
};

const ofEndpoint = (endpoint: AnyEndpoint, known: Known): fc.Arbitrary<Request> => {
  const body =
    endpoint.body === undefined
      ? mostly(fc.constant(Buffer.alloc(0)), bodies({}, known), 4)
      : bodies(endpoint.body.schema.input, known);
  return fc
    .record({
      method: mostly(fc.constant<string>(endpoint.method), fc.constantFrom(...METHODS)),
      path: mostly(pathOf(endpoint, known), fc.oneof(fc.constantFrom(...TARGETS), odd)),
      query: queryOf(endpoint, known),
      given: headers,
      payload: body.chain(payloadOf),
      leaves: mostly(fc.constant(false), fc.constant(true), 40),
    })
    .map(({ method, path, query, given, payload, leaves }) => {
      const target = query === '' ? path : `${path}?${query}`;
      const lines = [`${method} ${target} HTTP/1.1`, ...given, ...payload.headers, 'Connection: close'];
      return {
        ...{ method, target, upgrades: given.some((line) => line.startsWith(UPGRADE)) },
        bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), payload.body]),
        leaves: leaves || payload.unfinished === true,
      };
    });
};

/** `files` are served beside the contract. */
export const requests = (
  { endpoints }: Contract,
  files: Contract['endpoints'],
  known: Known,
): fc.Arbitrary<Request> => {
  const ofAny = (some: Contract['endpoints']): fc.Arbitrary<Request> =>
    fc.oneof(...Object.values(some).map((endpoint) => ofEndpoint(endpoint, known)));
  return mostly(ofAny(endpoints), ofAny(files));
};

export interface Message {
  readonly bytes: Buffer;
  /** `raw`: bytes on the connection itself, whatever frame they make. */
  readonly as: 'text' | 'binary' | 'ping' | 'raw';
}

export const messages = ({ commands }: Socket<unknown>, known: Known): fc.Arbitrary<Message> => {
  const schemas = Object.entries(commands).map(([name, command]) => requestOf(name, command).schema.input);
  return fc.record({
    bytes: fc.oneof(...(schemas.length === 0 ? [{}] : schemas).map((schema) => bodies(schema, known))),
    as: mostly(fc.constant<Message['as']>('text'), fc.constantFrom('binary', 'ping', 'raw'), 20),
  });
};
