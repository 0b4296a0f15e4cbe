/** The servers of the bench during a run: the software of each, restarts, and whether each still answers. */
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { About } from '../../src/contract/index.js';
import { KINDS, type Kind } from '../../src/contract/kinds.js';
import { messageOf } from '../../src/system/system-error.js';
import { ENDED, Skip } from '../actors/skip.js';
import type { Bench } from '../bench/bench.js';
import { questioner } from '../clients/clients.js';
import type { Finding, ServerFacts } from '../report/facts.js';
import { Failure } from '../expect/expect.js';
import type { Scenario } from './scenario.js';

type Software = t.TypeOf<typeof About>;

type Place = Pick<ServerFacts, 'name' | 'url'>;

/** The servers of a bench, the control API among them. */
export const placesOf = ({ urls, controlUrl }: Pick<Bench, 'urls' | 'controlUrl'>): readonly Place[] => {
  const servers = KINDS.map((kind) => ({ name: `${kind} server` as const, url: urls[kind] }));
  return [...servers, { name: 'control API' as const, url: controlUrl }].flatMap(({ name, url }) =>
    url === undefined ? [] : [{ name, url }],
  );
};

/** How long a silent server may take when it is asked again, milliseconds. */
const AGAIN_LIMIT = 200;

const getSoftware = async (url: string, limit?: number): Promise<E.Either<string, Software | null>> => {
  try {
    const { json } = await questioner(url, limit).get('/api/about');
    const about = About.decode(json);
    return E.right(E.isRight(about) ? about.right : null);
  } catch (error) {
    return E.left(messageOf(error).replace(/^.* was not answered: /, ''));
  }
};

/** The software of a server; null if the server does not identify it. Left: the reason why there is no answer. */
export const softwareAt = async (url: string, limit?: number): Promise<E.Either<string, Software | null>> => {
  const software = await getSoftware(url, limit);
  // A connection of earlier requests may have died with the server before a restart.
  const isStale = E.isLeft(software) && /closed|reset/.test(software.left);
  return isStale ? getSoftware(url, limit) : software;
};

interface Watched extends ServerFacts {
  about: Software | null;
  /** The time of the last answer, milliseconds since 1970. */
  answeredAt: number;
  /** A sentence with the reason. Undefined: the server answers. */
  silence: string | undefined;
  /** Whether the silence is among the findings. */
  reported: boolean;
}

const time = (at: number): string => `${new Date(at).toISOString().slice(11, 19)} UTC`;

const build = (software: Software | null): string => {
  if (software === null) return 'an unknown version';
  const { version, commit } = software;
  return commit === null ? `version ${version}` : `version ${version} of commit ${commit}`;
};

/** The end of a sentence about a server that has changed. */
const builds = (before: Software, now: Software | null): string =>
  build(before) === build(now) ? `still ${build(now)}` : `${build(before)}, then ${build(now)}`;

/** A server that does not answer any more. The message is the whole report. */
class Silence extends Failure {}

/** The parts of a scenario that its servers depend on. */
type Affected = Pick<Scenario, 'kind' | 'own'>;

export class Servers {
  private readonly watched: readonly Watched[];

  constructor(servers: readonly ServerFacts[]) {
    this.watched = servers.map((server) => ({
      ...server,
      ...{ answeredAt: Date.now(), silence: undefined, reported: false },
    }));
  }

  /** The servers except the one that the scenario has replaced by its own. */
  private during({ own, kind }: Affected): readonly Watched[] {
    return this.watched.filter(({ name }) => own === undefined || name !== `${kind} server`);
  }

  /** The sentence about the silent server without which no scenario can run. */
  private get end(): string | undefined {
    const control = this.watched.find(({ name }) => name === 'control API');
    if (control?.silence !== undefined) return control.silence;
    const servers = this.watched.filter((server) => server !== control);
    return servers.every(({ silence }) => silence !== undefined) ? servers[0]?.silence : undefined;
  }

  answers(url: string): boolean {
    return !this.watched.some((server) => server.url === url && server.silence !== undefined);
  }

  /** Throws if the server of this kind is silent, a `Skip` if no scenario can run any more. Asks silent servers again. */
  async require(kind: Kind): Promise<void> {
    const silent = this.watched.filter(({ silence }) => silence !== undefined);
    await Promise.all(silent.map((server) => ask(server, AGAIN_LIMIT)));
    if (this.end !== undefined) throw new Skip(`${ENDED}${this.end}`);
    const { silence } = this.watched.find(({ name }) => name === `${kind} server`) ?? {};
    if (silence !== undefined) throw new Silence(silence);
  }

  /** The error of a step, or the sentence about the silent server without which it had to fail. */
  async explain(scenario: Affected, error: unknown): Promise<unknown> {
    if (error instanceof Silence) return error;
    const servers = this.during(scenario);
    await Promise.all(servers.map((server) => ask(server)));
    const needed = servers.filter(({ name }) => name === `${scenario.kind} server` || name === 'control API');
    const silent = needed.find(({ silence }) => silence !== undefined);
    return silent?.silence === undefined ? error : new Silence(silent.silence);
  }

  /**
   * Asks the server of the scenario's kind again, if it identifies its software; the findings about all servers, each once.
   * `mayRestart`: the scenario may have restarted it.
   */
  async observe(scenario: Affected, name: string, mayRestart: boolean): Promise<readonly Finding[]> {
    const findings = await Promise.all(
      this.during(scenario).map(async (server) => {
        const isOwn = server.name === `${scenario.kind} server`;
        const change =
          isOwn && server.about !== null ? await changeOf(server, server.about, mayRestart) : undefined;
        return [change, silenceOf(server)]
          .filter((finding) => finding !== undefined)
          .map((finding) => ({ ...finding, text: `${finding.text}, during the scenario "${name}"` }));
      }),
    );
    return findings.flat();
  }
}

const ask = async (server: Watched, limit?: number): Promise<E.Either<string, Software | null>> => {
  const software = await softwareAt(server.url, limit);
  if (E.isRight(software)) {
    server.silence = undefined;
    server.reported = false;
  } else {
    server.silence ??= `the ${server.name} at ${server.url} does not answer any more: ${software.left}`;
  }
  return software;
};

/** The finding that the software or its start is another one, which becomes the last known. */
const changeOf = async (
  server: Watched,
  before: Software,
  mayRestart: boolean,
): Promise<Finding | undefined> => {
  if (server.silence !== undefined) return undefined;
  const asked = await ask(server);
  if (E.isLeft(asked)) return undefined;
  const [now, since] = [asked.right, server.answeredAt];
  server.answeredAt = Date.now();
  server.about = now;
  const restarted = now?.started !== before.started;
  const changedVersion = build(now) !== build(before);
  if (!changedVersion && (!restarted || mayRestart)) return undefined;
  const period = `between ${time(since)} and ${time(server.answeredAt)}`;
  const verb = restarted ? 'restarted' : 'exchanged';
  return { text: `the ${server.name} was ${verb} ${period}: ${builds(before, now)}`, changedVersion };
};

const silenceOf = (server: Watched): Finding | undefined => {
  if (server.silence === undefined || server.reported) return undefined;
  server.reported = true;
  return { text: `${server.silence}, after its last answer at ${time(server.answeredAt)}` };
};
