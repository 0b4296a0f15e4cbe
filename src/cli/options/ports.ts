/** Ports that a command is about to take, looked at before anything else is begun. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Option } from 'commander';
import { factsOf, type Kind } from '../../contract/index.js';
import { codeOf, listenOnce } from '../../system/system-error.js';
import { healthUrl } from '../process/run.js';
import { portFlag } from './options.js';

const FREE = '0 takes a free one';

export const serverPortFlag = (kind: Kind, zero = FREE): Option =>
  portFlag(`--${kind}-port <number>`, `port of the ${kind} server; ${zero}`, factsOf(kind).rigPort);

export const controlPortFlag = (zero = FREE): Option =>
  portFlag('--control-port <number>', `port of the control API; ${zero}`, 3100);

/** 0 stands for a free port. */
export interface WantedPort {
  readonly flag: string;
  readonly address: string;
  readonly port: number;
}

/** How long a neighbour may take to say what it is, ms. */
const NEIGHBOUR_MS = 3_000;

const ANY = ['0.0.0.0', '::'];

const listOf = (words: readonly string[]): string => new Intl.ListFormat('en-GB').format(words);

const clashIn = (wanted: readonly WantedPort[]): string | undefined => {
  for (const [index, { flag, address, port }] of wanted.entries()) {
    const other = wanted
      .slice(0, index)
      .find(
        (one) =>
          one.port === port &&
          (one.address === address || [one.address, address].some((at) => ANY.includes(at))),
      );
    if (other !== undefined) return `${other.flag} and ${flag} are both ${port}: give each a port of its own`;
  }
  return undefined;
};

const isInUse = async ({ address, port }: WantedPort): Promise<boolean> => {
  const failed = await listenOnce(address, port);
  return failed !== undefined && codeOf(failed) === 'EADDRINUSE';
};

/** `dice server`, `clock server` or `control API`, if it is of airbench and says so. */
const neighbourAt = async ({ address, port }: WantedPort): Promise<string | undefined> => {
  try {
    const url = new URL('/openapi.json', healthUrl(address, port));
    const response = await fetch(url, { signal: AbortSignal.timeout(NEIGHBOUR_MS), redirect: 'error' });
    return /"title":"airbench (dice server|clock server|control API)"/.exec(await response.text())?.[1];
  } catch {
    return undefined;
  }
};

const inUseMessage = (taken: readonly WantedPort[], neighbours: readonly string[]): string => {
  const one = taken.length === 1;
  const ports = `${one ? 'port' : 'ports'} ${listOf(taken.map(({ port }) => String(port)))} ${one ? 'is' : 'are'} in use`;
  const by =
    neighbours.length === 0
      ? ` by ${one ? 'another program' : 'other programs'}`
      : ` by another airbench (${listOf(neighbours)})`;
  const flags = one
    ? `${taken[0]?.flag ?? ''} (0 takes a free one)`
    : taken.map(({ flag }) => `${flag} 0`).join(' ');
  return `${ports}${by}: end ${one || neighbours.length > 0 ? 'it' : 'them'}, or choose ${one ? 'another' : 'free ones'} with ${flags}`;
};

/** Left: a message that names the ports in use, the flags that change them, and the airbench that has them if one answers. */
export const checkPorts =
  (all: readonly WantedPort[]): TE.TaskEither<string, void> =>
  async () => {
    const fixedPorts = all.filter(({ port }) => port !== 0);
    const clash = clashIn(fixedPorts);
    if (clash !== undefined) return E.left(clash);
    const inUse = await Promise.all(fixedPorts.map(isInUse));
    const taken = fixedPorts.filter((_, index) => inUse[index]);
    if (taken.length === 0) return E.right(undefined);
    const neighbours = await Promise.all(taken.map(neighbourAt));
    return E.left(
      inUseMessage(
        taken,
        neighbours.filter((name) => name !== undefined),
      ),
    );
  };
