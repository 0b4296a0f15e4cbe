/** Sends a server what it should and should not understand, and judges all that it answers. */
import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Documents } from '../../features/clients/documents.js';
import { NO_EXAMPLES, openApi } from '../../src/api-docs/index.js';
import { property } from '../api-docs/recorder.js';
import { request as ask } from '../support/client.js';
import { exchange, type Received } from './exchange.js';
import { messages, type Message } from './messages.js';
import { requests, type Request } from './requests.js';
import { targets, type Target, type TargetName } from './targets.js';
import { openTalk, type Talk } from './talk.js';
import { collected } from '../support/heap.js';

export interface Amount {
  readonly requests: number;
  readonly messages: number;
  readonly seed: number;
}

export interface Report {
  /** How often each status came, and each code of an error. */
  readonly answers: ReadonlyMap<string, number>;
  /** How much more there is than before, bytes and numbers. */
  readonly heap: number;
  readonly descriptors: number;
}

/** The allowed rest after a collection, bytes; and descriptors, of connections that end meanwhile. */
const ALLOWED = { heap: 8 * 1024 * 1024, descriptors: 10 } as const;

const REFRESH_EVERY = 50;
const WARM_UP = 0.1;
const SETTLE_MS = 50;
const SETTLES = 100;
const MOST_SHOWN = 1_000;

const textIn = (text: string, name: string): string | undefined => {
  try {
    const found = property(JSON.parse(text), name);
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
};

const HTTP_OK = 200;
const SWITCHING = 101;
const FAILED = 500;
/** The path of no operation, which can but fail. */
const NOWHERE = '';
/** The parts of a target before its path, for a proxy, and behind its query. */
const OTHER_PARTS = /^https?:\/\/[^/]*|#.*$/g;
const NO_OPERATION = ['HEAD', 'OPTIONS'];

const answerProblem = (
  documents: Documents,
  { method, target, upgrades }: Request,
  { status, contentType, text }: Received,
): string | undefined => {
  if (status >= FAILED && (status > FAILED || textIn(text, 'code') === 'internal_error'))
    return `it answered ${status}: ${text}`;
  if (status === SWITCHING || NO_OPERATION.includes(method)) return undefined;
  const problemAt = (path: string): string | undefined =>
    documents.answerProblem({ method, path, status, contentType, text });
  const problem = problemAt(target.replace(OTHER_PARTS, ''));
  return problem !== undefined && upgrades ? problemAt(NOWHERE) : problem;
};

const descriptors = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

/** The resources once all is closed and collected. */
const measure = async (): Promise<{ readonly heap: number; readonly descriptors: number }> => {
  for (let before = Infinity, settle = 0; descriptors() < before && settle < SETTLES; settle++) {
    before = descriptors();
    await setTimeout(SETTLE_MS);
  }
  collected();
  await setTimeout(SETTLE_MS);
  return { heap: collected().heapUsed, descriptors: descriptors() };
};

/** The documents of the server, and those of the files that it serves beside them. */
const documentsOf = async ({ contract, files, port }: Target): Promise<Documents> => {
  const [openapi, asyncapi] = await Promise.all(
    ['/openapi.json', '/asyncapi.json'].map(async (path) => (await ask(port, path)).body),
  );
  const ofFiles = openApi({ ...contract, endpoints: files }, NO_EXAMPLES);
  const pathsOf = (document: unknown): object => Object(property(document, 'paths')) as object;
  const paths = { ...pathsOf(openapi), ...pathsOf(ofFiles) };
  return new Documents({ ...(openapi as object), paths }, asyncapi);
};

const fuzzTarget = async (target: Target, amount: Amount, count: (answer: string) => void): Promise<void> => {
  const { contract, files, port, known, failures } = target;
  const documents = await documentsOf(target);
  let asked = 0;
  const freshly = async (): Promise<void> => {
    if (asked++ % REFRESH_EVERY === 0) await target.refresh();
  };
  const judge = (problem: string | undefined, sent: { readonly bytes: Buffer }): void => {
    const found = problem ?? failures[0];
    if (found !== undefined)
      throw new Error(`${found}\nto ${JSON.stringify(sent.bytes.toString('latin1').slice(0, MOST_SHOWN))}`);
  };

  const send = async (request: Request): Promise<void> => {
    await freshly();
    const received = await exchange(port, request);
    if (received === undefined) {
      count('none');
      judge(request.leaves ? undefined : 'no answer came', request);
      return;
    }
    count(`${received.status} ${textIn(received.text, 'code') ?? ''}`.trim());
    judge(answerProblem(documents, request, received), request);
  };
  await fc.assert(fc.asyncProperty(requests(contract, files, known), send), {
    ...{ seed: amount.seed, numRuns: amount.requests, endOnFailure: true },
  });

  for (const socket of contract.sockets) {
    const answers = Object.keys(socket.commands).length > 0;
    const talk: Talk = await openTalk(`ws://127.0.0.1:${port}${socket.path}?detail=full`, answers);
    const say = async (message: Message): Promise<void> => {
      await freshly();
      judge(await talk.say(message), message);
      for (const text of talk.heard()) {
        count(
          `message ${textIn(text, 'code') ?? textIn(text, 'event') ?? textIn(text, 'kind') ?? ''}`.trim(),
        );
        judge(documents.messageProblem(socket.path, text), message);
      }
    };
    await fc.assert(fc.asyncProperty(messages(socket, known), say), {
      ...{ seed: amount.seed, numRuns: amount.messages, endOnFailure: true },
    });
    await talk.close();
  }
  await target.refresh();
  const { status } = await ask(port, '/health');
  if (status !== HTTP_OK) throw new Error(`/health answers ${status}`);
};

/** Throws with what was sent and what is wrong with the answer. */
export const fuzz = async (name: TargetName, amount: Amount): Promise<Report> => {
  const target = await targets[name]();
  const answers = new Map<string, number>();
  try {
    const warmUp = (given: number): number => Math.ceil(given * WARM_UP);
    await fuzzTarget(
      target,
      { requests: warmUp(amount.requests), messages: warmUp(amount.messages), seed: amount.seed + 1 },
      () => undefined,
    );
    const before = await measure();
    await fuzzTarget(target, amount, (answer) => answers.set(answer, (answers.get(answer) ?? 0) + 1));
    const after = await measure();
    return {
      answers,
      heap: after.heap - before.heap,
      descriptors: after.descriptors - before.descriptors,
    };
  } finally {
    await target.close();
  }
};

/** The errors of `report`. */
export const leakIn = ({ heap, descriptors: left }: Report): readonly string[] => [
  ...(heap > ALLOWED.heap ? [`${heap} bytes more are in use than before`] : []),
  ...(left > ALLOWED.descriptors ? [`${left} more descriptors are open than before`] : []),
];
