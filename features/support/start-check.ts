/** The check before the first scenario: servers, actors and devices of a bench. It takes at most 5 s. */
import * as E from 'fp-ts/lib/Either.js';
import type { Bench } from '../bench/bench.js';
import { CannotRun } from '../bench/cannot-run.js';
import { knowServer, questioner, tokenFor, TOKEN_VARIABLES } from '../clients/clients.js';
import type { DeviceFacts, ServerFacts } from '../report/facts.js';
import { searchDevices } from './search.js';
import { placesOf, softwareAt } from './servers.js';

export interface Start {
  readonly servers: readonly ServerFacts[];
  /** The devices of the bench file, with their values as they were seen. */
  readonly devices: readonly DeviceFacts[];
  readonly findings: readonly string[];
}

type Name = ServerFacts['name'];

/** A path that this server alone answers with 200. The interface documents have that of clock servers. */
const OWN_PATH: Readonly<Record<Name, string>> = {
  'dice server': '/api/sessions',
  'clock server': '/api/devices',
  'control API': '/devices',
};

const NAMES = Object.keys(OWN_PATH) as readonly Name[];

/** How long a server may take to refuse a scan, milliseconds. */
const REFUSAL_LIMIT = 1000;

interface Reply {
  readonly status: number;
  readonly isJson: boolean;
}

/** Undefined without an answer in time. */
const replyTo = (url: string, method: string, path: string, limit?: number): Promise<Reply | undefined> =>
  questioner(url, limit)
    .send({ method, path })
    .then(
      ({ status, json }) => ({ status, isJson: json !== undefined }),
      () => undefined,
    );

const isOwn = (reply: Reply | undefined): boolean => reply?.status === 200 && reply.isJson;

const ABSENT: readonly number[] = [404, 405, 501];

const replyText = (reply: Reply | undefined): string =>
  reply === undefined ? 'nothing' : `${reply.status}${reply.isJson ? '' : ' without JSON'}`;

/** The name of the server at `url`. Left: the reason why it has no name and is not `expected`. */
const nameAt = async (url: string, expected: Name): Promise<E.Either<string, Name>> => {
  const replies = await Promise.all(
    NAMES.map(async (name) => ({ name, reply: await replyTo(url, 'GET', OWN_PATH[name]) })),
  );
  const reply = replies.find(({ name }) => name === expected)?.reply;
  if (isOwn(reply)) return E.right(expected);
  const other = replies.find((candidate) => isOwn(candidate.reply));
  if (other !== undefined) return E.right(other.name);
  if (reply?.status === 401 || reply?.status === 403) {
    const variable = TOKEN_VARIABLES[expected];
    return E.left(
      tokenFor(url) === undefined
        ? `the ${expected} at ${url} asks for a token: set ${variable}`
        : `the ${expected} at ${url} refuses the token: correct ${variable}, or the URL`,
    );
  }
  // In the interface document of dice servers, nothing cheaper is answered before a die is connected.
  const scanned = await replyTo(url, 'POST', '/api/scan', REFUSAL_LIMIT);
  if (scanned === undefined || (scanned.isJson && !ABSENT.includes(scanned.status)))
    return E.right('dice server');
  const [request, answer] =
    expected === 'dice server' ? ['POST /api/scan', scanned] : [`GET ${OWN_PATH[expected]}`, reply];
  return E.left(`${url} is not a ${expected}: ${request} is answered with ${replyText(answer)}`);
};

/** A server of the bench, with the name that it has by its answers. */
interface Met {
  readonly facts: ServerFacts;
  readonly is: Name;
}

/** Left: a sentence about a server that cannot be used. Later requests to the server send its token. */
const meet = async ({ name, url }: Pick<ServerFacts, 'name' | 'url'>): Promise<E.Either<string, Met>> => {
  knowServer(name, url);
  const software = await softwareAt(url);
  if (E.isLeft(software)) {
    return E.left(`the ${name} at ${url} does not answer (${software.left}): start it, or correct its URL`);
  }
  const about = software.right;
  const facts = { name, url, about };
  const identified = NAMES.find((candidate) => about?.name.includes(candidate) === true);
  if (identified !== undefined) return E.right({ facts, is: identified });
  const is = await nameAt(url, name);
  return E.isLeft(is) ? is : E.right({ facts, is: is.right });
};

/** Sentences about URLs of other servers than the bench takes them for. */
const mistaken = (servers: readonly Met[]): readonly string[] => {
  const wrong = servers.filter(({ facts, is }) => facts.name !== is);
  const [first, second] = wrong;
  if (wrong.length === 2 && first?.is === second?.facts.name && second?.is === first?.facts.name) {
    return [
      `${first?.facts.url} is a ${first?.is} and ${second?.facts.url} a ${second?.is}: exchange the two URLs`,
    ];
  }
  return wrong.map(({ facts, is }) => `the URL of the ${facts.name}, ${facts.url}, is that of a ${is}`);
};

/** Throws a `CannotRun` with a line for each server or actor that cannot be used. */
export const checkStart = async (bench: Bench): Promise<Start> => {
  const met = await Promise.all(placesOf(bench).map(meet));
  const problems = [
    ...bench.problems,
    ...met.flatMap((server) => (E.isLeft(server) ? [server.left] : [])),
    ...mistaken(met.flatMap((server) => (E.isRight(server) ? [server.right] : []))),
  ];
  if (problems.length > 0) throw new CannotRun(problems.join('\n'));
  const servers = met.flatMap((server) => (E.isRight(server) ? [server.right.facts] : []));
  const { devices, findings } = await searchDevices(bench, servers);
  return { servers, devices, findings: [...bench.lacking, ...findings] };
};
