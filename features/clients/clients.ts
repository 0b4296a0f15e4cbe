/** Clients of the servers under test: they show a token, keep a transcript, and have what they receive checked. */
import { HttpClient, type Answer } from '../../src/testing/internal/http-client.js';
import { refusedUpgrade, type ListenerOptions } from '../../src/testing/internal/listener.js';
import { checkAnswer, checkMessage } from './conformance.js';

/** The variables with the tokens of servers that others started, which are those of their own programs. */
const VARIABLES = {
  'dice server': 'AIRBENCH_TOKEN',
  'clock server': 'AIRBENCH_TOKEN',
  'control API': 'AIRBENCH_CONTROL_TOKEN',
} as const;

export type ServerName = keyof typeof VARIABLES;

/** By host and port. */
const tokens = new Map<string, string>();

/** Has all clients of the server at `url` show its token, if the environment has one. */
export const knowServer = (name: ServerName, url: string): void => {
  const token = process.env[VARIABLES[name]];
  if (token !== undefined) tokens.set(new URL(url).host, token);
};

/** The headers that show the server at `url` who asks. */
export const authorizationFor = (url: string): Readonly<Record<string, string>> => {
  const token = tokens.get(new URL(url).host);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
};

/** The longest text of a message in a transcript. */
const LONGEST = 2000;

export const httpClient = (url: string, transcript: string[] = []): HttpClient =>
  new HttpClient(url, {
    headers: authorizationFor(url),
    exchanged: (call, answer) => {
      transcript.push(
        `${call.method} ${call.path} ${String(call.body ?? '').slice(0, 500)}`,
        `  ${answer.status} ${answer.text.slice(0, LONGEST)}`,
      );
      checkAnswer(url, call, answer);
    },
  });

/** Options of a client of the WebSocket at `url`; `limit`: how long a message may take, milliseconds. */
export const socketOptions = (url: string, limit: number, transcript: string[]): ListenerOptions => ({
  headers: authorizationFor(url),
  limit,
  exchanged: (sender, text) => {
    transcript.push(`${sender === 'client' ? '>' : '<'} ${text.slice(0, LONGEST)}`);
    if (sender === 'server') checkMessage(url, text);
  },
});

/** The answer of the server at `url` to an upgrade of `path` that it must refuse. */
export const refusedAt = async (url: string, path: string): Promise<Answer> => {
  const answer = await refusedUpgrade(url + path, { headers: authorizationFor(url) });
  checkAnswer(url, { method: 'GET', path }, answer);
  return answer;
};
