/** Sends a server valid and invalid requests, and judges every answer. */
import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Documents, parsed } from '../../../features/clients/documents.js';
import { NO_EXAMPLES, openApi } from '../../../src/api-docs/index.js';
import { RawConnection, answersIn } from '../../../simulators/testing/internal/raw-connection.js';
import { property } from '../../api-docs/recorder.js';
import { columns } from '../../support/columns.js';
import { collected } from '../../support/heap.js';
import { messages, requests, type Message, type Request } from './requests.js';
import { say } from './talk.js';
import { targets, type Target } from './targets.js';

interface Amount {
  /** The number of requests, and of messages to each WebSocket. */
  readonly requests: number;
  readonly seed: number;
}

/** The allowed growth: bytes of heap after a collection, and descriptors of connections that are about to end. */
const ALLOWED = { heap: 8 * 1024 * 1024, descriptors: 10 } as const;

const REFRESH_EVERY = 50;
const WARM_UP = 0.1;
const SETTLE_MS = 50;
const SETTLES = 100;
const MOST_SHOWN = 1_000;

const textIn = (text: string, name: string): string | undefined => {
  const member = property(parsed(text), name);
  return typeof member === 'string' ? member : undefined;
};

const HTTP_OK = 200;
const SWITCHING = 101;
const FAILED = 500;
/** A path without an operation, where every request fails. */
const NOWHERE = '';
/** The origin before the path of a target, which a proxy would get, and its fragment. */
const OTHER_PARTS = /^https?:\/\/[^/]*|#.*$/g;
const NO_OPERATION = ['HEAD', 'OPTIONS'];

interface Received {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** Far longer than any limit of the server. */
const PATIENCE_MS = 20_000;

/** Sends a request on a connection of its own; undefined if it was closed without an answer. */
const exchange = async (url: string, { bytes, leaves }: Request): Promise<Received | undefined> => {
  const connection = await RawConnection.open(url);
  connection.socket.on('data', () => connection.statuses.includes(SWITCHING) && connection.close());
  connection.socket.write(bytes, () => leaves && setImmediate(() => connection.close()));
  await new Promise((resolve, reject) => {
    connection.socket.setTimeout(PATIENCE_MS, () => {
      reject(new Error('no answer came, and the connection stays open'));
      connection.close();
    });
    void connection.closed.then(resolve);
  });
  const [answer] = answersIn(connection.bytes);
  const [status] = connection.statuses.filter((one) => one >= SWITCHING);
  if (status === undefined) return undefined;
  const contentType = answer?.headers.get('content-type') ?? null;
  return { status, contentType, text: answer?.body.toString() ?? '' };
};

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

/** The resources when connections are closed and garbage is collected. */
const measure = async (): Promise<{ readonly heap: number; readonly descriptors: number }> => {
  for (let before = Infinity, settle = 0; descriptors() < before && settle < SETTLES; settle++) {
    before = descriptors();
    await setTimeout(SETTLE_MS);
  }
  collected();
  await setTimeout(SETTLE_MS);
  return { heap: collected().heapUsed, descriptors: descriptors() };
};

/** The documents of the server, and its files. */
const documentsOf = async ({ contract, files, http }: Target): Promise<Documents> => {
  const [openapi, asyncapi] = await Promise.all(
    ['/openapi.json', '/asyncapi.json'].map(async (path) => (await http.get(path)).json),
  );
  const ofFiles = openApi({ ...contract, endpoints: files }, NO_EXAMPLES);
  const pathsOf = (document: unknown): object => Object(property(document, 'paths')) as object;
  const paths = { ...pathsOf(openapi), ...pathsOf(ofFiles) };
  return new Documents({ ...(openapi as object), paths }, asyncapi);
};

const fuzzTarget = async (target: Target, amount: Amount, count: (answer: string) => void): Promise<void> => {
  const { contract, files, http, known, failures } = target;
  const documents = await documentsOf(target);
  let asked = 0;
  const freshly = async (): Promise<void> => {
    if (asked++ % REFRESH_EVERY === 0) await target.refresh();
  };
  const judge = (problem: string | undefined, sent: { readonly bytes: Buffer }): void => {
    const error = problem ?? failures[0];
    if (error !== undefined)
      throw new Error(`${error}\nto ${JSON.stringify(sent.bytes.toString('latin1').slice(0, MOST_SHOWN))}`);
  };

  const send = async (request: Request): Promise<void> => {
    await freshly();
    const received = await exchange(http.url, request);
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
    const url = `${http.url}${socket.path}?detail=full`;
    const answers = Object.keys(socket.commands).length > 0;
    const tell = async (message: Message): Promise<void> => {
      await freshly();
      for (const text of await say(url, message, answers)) {
        const what = textIn(text, 'code') ?? textIn(text, 'event') ?? textIn(text, 'kind') ?? '';
        count(`message ${what}`.trim());
        judge(documents.messageProblem(socket.path, text), message);
      }
      judge(undefined, message);
    };
    await fc.assert(fc.asyncProperty(messages(socket, known), tell), {
      ...{ seed: amount.seed, numRuns: amount.requests, endOnFailure: true },
    });
  }
  await target.refresh();
  const { status } = await http.get('/health');
  if (status !== HTTP_OK) throw new Error(`/health answers ${status}`);
};

/** Throws with the request and the error of its answer; resolves with the resources that have grown. */
const fuzzOne = async (name: keyof typeof targets, amount: Amount): Promise<readonly string[]> => {
  const target = await targets[name]();
  const answers = new Map<string, number>();
  try {
    const warmUp = { requests: Math.ceil(amount.requests * WARM_UP), seed: amount.seed + 1 };
    await fuzzTarget(target, warmUp, () => undefined);
    const before = await measure();
    await fuzzTarget(target, amount, (answer) => answers.set(answer, (answers.get(answer) ?? 0) + 1));
    const after = await measure();
    const heap = after.heap - before.heap;
    const left = after.descriptors - before.descriptors;
    console.log(`\n${name}: ${Math.round(heap / 1024)} KiB and ${left} descriptors more than before`);
    const rows = [...answers].sort().map(([answer, count]) => [String(count), answer]);
    console.log(columns(['times', 'answer'], rows, ['times']));
    return [
      ...(heap > ALLOWED.heap ? [`${name}: ${heap} bytes more are in use than before`] : []),
      ...(left > ALLOWED.descriptors ? [`${name}: ${left} more descriptors are open than before`] : []),
    ];
  } finally {
    await target.close();
  }
};

/** Fuzzes both servers and the control API. */
export const fuzz = async (amount: Amount): Promise<readonly string[]> => {
  const { requests, seed } = amount;
  console.log(`${requests} requests and messages to each. To repeat exactly this run:`);
  console.log(`npm run load -- --clients 0 --fuzz ${requests} --seed ${seed}`);
  const grown: string[] = [];
  for (const name of ['dice', 'clock', 'control'] as const) grown.push(...(await fuzzOne(name, amount)));
  return grown;
};
