/** Requests to the server of the page, made from the rows of its contract. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Codec } from '../../codecs/index.js';
import type { Endpoint } from '../../contract/index.js';
import { batch, effect, signal } from '@preact/signals';
import { storedText, storeText } from './storage.js';

const KEY = 'airbench token';

/** The token that this browser sends to the server; null without a token. */
export const token = signal(storedText('sessionStorage', KEY));

effect(() => storeText('sessionStorage', KEY, token.value));

/** The failure of a request, in the words of the server or of the page. */
export interface Failure {
  readonly code: string;
  readonly error: string;
}

/** The failure of an action; null: the action succeeded. */
export type Outcome = Promise<Failure | null>;

/** A row whose answer has a codec. */
export type CallableEndpoint<G, A> = Endpoint<G, A> & { readonly response: Codec<A, unknown> };

/** The parts of a request; parameters in the path and the query are optional. */
export type RequestInput<G> = Omit<G, 'params' | 'query'> & Partial<G>;

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export const UNREACHABLE: Failure = { code: 'unreachable', error: 'the server cannot be reached' };
export const UNREADABLE: Failure = { code: 'unreadable', error: 'the answer of the server cannot be read' };

export const failureOf = (outcome: E.Either<Failure, unknown>): Failure | null =>
  E.isLeft(outcome) ? outcome.left : null;

/** The failure of a request; a request that succeeds calls `done` with its answer. */
export const after = async <A>(
  outcome: Promise<E.Either<Failure, A>>,
  done: (answer: A) => void = () => undefined,
): Outcome => {
  const result = await outcome;
  if (E.isLeft(result)) return result.left;
  batch(() => done(result.right));
  return null;
};

/** Several outcomes as one: the messages of all failures. */
export const together = async (outcomes: readonly Outcome[]): Outcome => {
  const failures = (await Promise.all(outcomes)).filter((failure) => failure !== null);
  const [first] = failures;
  if (first === undefined) return null;
  return { code: first.code, error: [...new Set(failures.map(({ error }) => error))].join('; ') };
};

/** The URL of the page's folder, with the prefix of a proxy. */
export const BASE = new URL('.', document.baseURI);

export const urlOf = (path: string): URL => new URL(path.replace(/^\//, ''), BASE);

const failureIn = (body: unknown): Failure =>
  typeof body === 'object' && body !== null && 'error' in body && 'code' in body
    ? { error: String(body.error), code: String(body.code) }
    : UNREADABLE;

export interface Sent {
  readonly method: string;
  readonly url: URL;
  /** JSON. */
  readonly body: string | undefined;
}

export const requestOf = (
  { method, path, body }: Pick<CallableEndpoint<never, never>, 'method' | 'path' | 'body'>,
  { params = {}, query = {}, ...parts }: Parts,
): Sent => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const url = urlOf(filled);
  for (const [name, value] of Object.entries(query))
    url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value));
  return { method, url, body: body === undefined ? undefined : JSON.stringify(body.encode(parts.body)) };
};

/** `accept`: a media type that the answer may have instead of JSON. */
export const send = (
  { method, url, body }: Sent,
  { signal = null, accept }: { readonly signal?: AbortSignal | null; readonly accept?: string } = {},
): Promise<Response> => {
  const headers = new Headers();
  if (token.value !== null) headers.set('authorization', `Bearer ${token.value}`);
  if (accept !== undefined) headers.set('accept', accept);
  if (body === undefined) return fetch(url, { method, headers, signal });
  headers.set('content-type', 'application/json');
  return fetch(url, { method, headers, body, signal });
};

export const call = async <G, A>(
  row: CallableEndpoint<G, A>,
  parts: RequestInput<G>,
  signal?: AbortSignal,
): Promise<E.Either<Failure, A>> => {
  try {
    const response = await send(requestOf(row, parts), signal && { signal });
    const body: unknown = await response.json();
    if (response.ok) {
      return pipe(
        row.response.decode(body),
        E.mapLeft(() => UNREADABLE),
      );
    }
    if (response.status === 401) token.value = null;
    return E.left(failureIn(body));
  } catch {
    return E.left(UNREACHABLE);
  }
};
