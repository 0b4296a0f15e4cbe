/** Whether all that servers send in a scenario is as their own documents say. */
import type { Answer, Call } from '../../src/testing/internal/http-client.js';
import { Documents } from './documents.js';

/** By the text of both documents: many servers have the same. */
const known = new Map<string, Documents>();

/** By the address of the server. */
const ofServers = new Map<string, Promise<Documents | undefined>>();

const textAt = async (url: string): Promise<string | undefined> => {
  const response = await fetch(url);
  const text = await response.text();
  return response.ok ? text : undefined;
};

/** Undefined for a server that has none: one that is not ours. */
const fetchDocuments = async (baseUrl: string): Promise<Documents | undefined> => {
  const [openapi, asyncapi] = await Promise.all(
    ['openapi', 'asyncapi'].map((name) => textAt(`${baseUrl}/${name}.json`)),
  );
  if (openapi === undefined || asyncapi === undefined) return undefined;
  const key = openapi + asyncapi;
  const documents = known.get(key) ?? new Documents(JSON.parse(openapi), JSON.parse(asyncapi));
  known.set(key, documents);
  return documents;
};

/** Undefined for a server that is gone, too: the next time there is a new request. */
const documentsOf = (baseUrl: string): Promise<Documents | undefined> => {
  const documents =
    ofServers.get(baseUrl) ??
    fetchDocuments(baseUrl).catch(() => {
      ofServers.delete(baseUrl);
      return undefined;
    });
  ofServers.set(baseUrl, documents);
  return documents;
};

/** Those under way, each with what it finds wrong. */
const checks: Promise<string | undefined>[] = [];

export const checkAnswer = (
  baseUrl: string,
  { method, path }: Pick<Call, 'method' | 'path'>,
  { status, headers, text }: Answer,
): void => {
  const answered = { method, path, status, contentType: headers.get('content-type'), text };
  checks.push(documentsOf(baseUrl).then((documents) => documents?.answerProblem(answered)));
};

/** `url`: that of the WebSocket. */
export const checkMessage = (url: string, text: string): void => {
  const { origin, pathname } = new URL(url);
  checks.push(documentsOf(origin).then((documents) => documents?.messageProblem(pathname, text)));
};

/** Throws if anything that has come since the last call was not as documented. */
export const expectConformance = async (): Promise<void> => {
  const found = await Promise.all(checks.splice(0));
  const problems = found.filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Error(problems.join('\n'));
};
