/** Requests over loopback, with answers as tests compare them. */
import { expect } from 'chai';
import {
  HttpClient,
  type Answer as Received,
  type Call,
} from '../../simulators/testing/internal/http-client.js';
import {
  Listener,
  refusedUpgrade,
  type ListenerOptions,
} from '../../simulators/testing/internal/listener.js';

/** The address of a server on loopback. */
export const at = (port: number): string => `http://127.0.0.1:${port}`;

export const portOf = (url: string): number => Number(new URL(url).port);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Its JSON, without the id of the request; undefined if it is empty. */
  readonly body: unknown;
}

/** A body without the id of its request, which each error has; `header`: the id that it must be. */
export const withoutId = (body: unknown, header?: string | null): unknown => {
  if (typeof body !== 'object' || body === null || !('code' in body)) return body;
  const { request_id, ...fields } = { request_id: undefined, ...body };
  expect(request_id).to.be.a('string');
  if (header !== undefined) expect(request_id).to.equal(header);
  return fields;
};

const comparable = ({ status, headers, json }: Received): Answer => ({
  ...{ status, headers },
  body: withoutId(json, headers.get('x-request-id')),
});

/** A request without its path. */
export type Init = Partial<Omit<Call, 'path'>>;

export const request = async (port: number, path: string, init: Init = {}): Promise<Answer> =>
  comparable(await new HttpClient(at(port)).send({ method: 'GET', path, ...init }));

/** Sends a request; the returned function ends its client. */
export const abandon = (port: number, path: string, init?: Init): (() => Promise<void>) => {
  const gone = new AbortController();
  const answer = request(port, path, { ...init, signal: gone.signal }).catch(() => 'gone');
  return async () => {
    gone.abort();
    expect(await answer).to.equal('gone');
  };
};

export const post = (port: number, path: string, body: unknown, init: Init = {}): Promise<Answer> =>
  request(port, path, { method: 'POST', body: JSON.stringify(body), ...init });

export const listenTo = (port: number, path: string, options?: ListenerOptions): Promise<Listener> =>
  Listener.open(at(port) + path, options);

/** The answer to an upgrade that must be refused. */
export const refusalOf = async (port: number, path: string, options?: ListenerOptions): Promise<Answer> =>
  comparable(await refusedUpgrade(at(port) + path, options));

/** The bytes of a request without a body; `lines`: its header lines. */
export const rawGet = (path: string, ...lines: readonly string[]): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

/** The bytes of a handshake, with the key of RFC 6455, 1.3. */
export const rawUpgrade = (path: string, ...lines: readonly string[]): string => {
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  return rawGet(
    path,
    ...lines,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    key,
  );
};

/** A frame of a client (RFC 6455, 5.2), masked with zeros: by default a text message. */
export const rawFrame = (text = '', opcode = 1): string =>
  `${String.fromCharCode(0x80 | opcode, 0x80 | text.length)}\0\0\0\0${text}`;
