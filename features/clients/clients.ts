/**
 * Clients of the servers under test. They send a token, keep a transcript, and check every message that they receive against
 * the documents of its server.
 */
import { HttpClient, type Answer, type Call } from '../../simulators/testing/internal/http-client.js';
import { refusedUpgrade, type ListenerOptions } from '../../simulators/testing/internal/listener.js';
import { Documents, parsed } from './documents.js';
import { cut, type Exchange } from '../expect/exchange.js';
import { Failure } from '../expect/expect.js';

/** The variables with the tokens of servers that are up. The programs of the servers read the same variables. */
export const TOKEN_VARIABLES = {
  'dice server': 'AIRBENCH_TOKEN',
  'clock server': 'AIRBENCH_TOKEN',
  'control API': 'AIRBENCH_CONTROL_TOKEN',
} as const;

type ServerName = keyof typeof TOKEN_VARIABLES;

/** How long any request may take, milliseconds: less than a step, which would not name the request. */
const REQUEST_LIMIT = 55_000;

/** How long a server may take to answer a request beside the scenarios, milliseconds: a broken server may hang, a busy machine is slow. */
export const ANSWER_LIMIT = 10_000;

/** Tokens by host and port. */
const tokens = new Map<string, string>();

/** Makes all clients of the server at `url` send its token, if the environment has a token. */
export const knowServer = (name: ServerName, url: string): void => {
  const { [TOKEN_VARIABLES[name]]: token = '' } = process.env;
  if (token !== '') tokens.set(new URL(url).host, token);
};

export const tokenFor = (url: string): string | undefined => tokens.get(new URL(url).host);

/** The headers with the token for the server at `url`. */
const authorizationFor = (url: string): Readonly<Record<string, string>> => {
  const token = tokenFor(url);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
};

/** A client for the features' own questions, which no transcript shows. */
export const questioner = (url: string, limit = ANSWER_LIMIT): HttpClient =>
  new HttpClient(url, { headers: authorizationFor(url), limit });

/** Documents by their text, which is the same for many servers. */
const byText = new Map<string, Documents>();

/** Documents by the URL of their server. */
const byUrl = new Map<string, Promise<Documents | undefined>>();

const textAt = async (url: string): Promise<string | undefined> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT) });
  const text = await response.text();
  return response.ok ? text : undefined;
};

/** Undefined for a server without documents, such as one of another maker. */
const fetchDocuments = async (baseUrl: string): Promise<Documents | undefined> => {
  const [openapi, asyncapi] = await Promise.all(
    ['openapi', 'asyncapi'].map((name) => textAt(`${baseUrl}/${name}.json`)),
  );
  if (openapi === undefined || asyncapi === undefined) return undefined;
  const key = openapi + asyncapi;
  const documents = byText.get(key) ?? new Documents(JSON.parse(openapi), JSON.parse(asyncapi));
  byText.set(key, documents);
  return documents;
};

/** Undefined for a server without documents or without an answer. After a missing answer, the next call tries again. */
const documentsOf = (baseUrl: string): Promise<Documents | undefined> => {
  const documents =
    byUrl.get(baseUrl) ??
    fetchDocuments(baseUrl).catch(() => {
      byUrl.delete(baseUrl);
      return undefined;
    });
  byUrl.set(baseUrl, documents);
  return documents;
};

/** Checks under way. Each resolves with a problem, or undefined. */
const checks: Promise<string | undefined>[] = [];

export const checkAnswer = (
  baseUrl: string,
  { method, path }: Pick<Call, 'method' | 'path'>,
  { status, headers, text }: Answer,
): void => {
  const response = { method, path, status, contentType: headers.get('content-type'), text };
  checks.push(documentsOf(baseUrl).then((documents) => documents?.answerProblem(response)));
};

/** `url`: the address of the WebSocket. */
export const checkMessage = (url: string, text: string): void => {
  const { origin, pathname } = new URL(url);
  checks.push(documentsOf(origin).then((documents) => documents?.messageProblem(pathname, text)));
};

/** Throws if a message since the last call does not conform to its document. */
export const expectConformance = async (): Promise<void> => {
  const results = await Promise.all(checks.splice(0));
  const problems = results.filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Failure(problems.join('\n'));
};

/** The longest text of a message in a transcript. */
const LONGEST = 2000;

/** A line of a transcript, with its time as in the logs of servers and in captures: UTC. */
const line = (at: number, text: string): string => `${new Date(at).toISOString()} ${text}`;

/** The receivers of a client's messages. */
interface Observer {
  /** May refuse a request or a message of the client. */
  readonly requested?: (call: Call) => void;
  /** Receives each exchange, with the answer over HTTP. */
  readonly exchanged?: (exchange: Exchange, answer?: Answer) => void;
}

export const httpClient = (
  url: string,
  transcript: string[] = [],
  { requested, exchanged }: Observer = {},
): HttpClient =>
  new HttpClient(url, {
    headers: authorizationFor(url),
    limit: REQUEST_LIMIT,
    exchanged: (call, answer, sentAt) => {
      requested?.(call);
      const asked = `${call.method} ${call.path} ${String(call.body ?? '').slice(0, 500)}`.trimEnd();
      transcript.push(
        line(sentAt, asked),
        line(Date.now(), `answered ${answer.status} ${answer.text.slice(0, LONGEST)}`),
      );
      exchanged?.({ asked, came: `answered ${answer.status} ${cut(answer.text)}` }, answer);
      checkAnswer(url, call, answer);
    },
  });

const idOf = (text: string): unknown => {
  const json = parsed(text);
  return typeof json === 'object' && json !== null && 'id' in json ? json['id'] : undefined;
};

/** Options of a client of the WebSocket at `url`; `limit`: how long a message may take, milliseconds. */
export const socketOptions = (
  url: string,
  limit: number,
  transcript: string[],
  exchanged: Observer['exchanged'] = () => undefined,
): ListenerOptions => {
  const sent = new Map<unknown, string>();
  let last = '';
  return {
    headers: authorizationFor(url),
    limit,
    exchanged: (sender, text) => {
      transcript.push(line(Date.now(), `${sender === 'client' ? '>' : '<'} ${text.slice(0, LONGEST)}`));
      const id = idOf(text);
      if (sender === 'client') {
        sent.set(id, text);
        last = text;
        exchanged({ asked: cut(text) });
        return;
      }
      if (id !== undefined) exchanged({ asked: cut(sent.get(id) ?? last), came: `answered ${cut(text)}` });
      checkMessage(url, text);
    },
  };
};

/** The answer of the server at `url` to an upgrade of `path` that it must refuse. */
export const refusedAt = async (
  url: string,
  path: string,
  exchanged: Observer['exchanged'] = () => undefined,
): Promise<Answer> => {
  const asked = `upgrade of ${path} to a WebSocket`;
  exchanged({ asked });
  const answer = await refusedUpgrade(url + path, { headers: authorizationFor(url) });
  exchanged({ asked, came: `answered ${answer.status} ${cut(answer.text)}` }, answer);
  checkAnswer(url, { method: 'GET', path }, answer);
  return answer;
};
