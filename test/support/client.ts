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

/** A body without the id of its request, which each error has: the one in the header, if that is known. */
export const withoutId = (body: unknown, header?: string | null): unknown => {
  if (typeof body !== 'object' || body === null || !('code' in body)) return body;
  const { request_id, ...others } = { request_id: undefined, ...body };
  expect(request_id).to.be.a('string');
  if (header !== undefined) expect(request_id).to.equal(header);
  return others;
};

const comparable = ({ status, headers, json }: Received): Answer => ({
  ...{ status, headers },
  body: withoutId(json, headers.get('x-request-id')),
});

/** A request but for its path. */
export type Init = Partial<Omit<Call, 'path'>>;

export const request = async (port: number, path: string, init: Init = {}): Promise<Answer> =>
  comparable(await new HttpClient(at(port)).send({ method: 'GET', path, ...init }));

export const post = (port: number, path: string, body: unknown, init: Init = {}): Promise<Answer> =>
  request(port, path, { method: 'POST', body: JSON.stringify(body), ...init });

export const listenTo = (port: number, path: string, options?: ListenerOptions): Promise<Listener> =>
  Listener.open(at(port) + path, options);

/** The answer to an upgrade that must be refused. */
export const refusalOf = async (port: number, path: string, options?: ListenerOptions): Promise<Answer> =>
  comparable(await refusedUpgrade(at(port) + path, options));
