/** Checks the ports of a command before the command starts anything. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Option } from 'commander';
import { factsOf, type Kind } from '../../contract/index.js';
import { airbenchAt } from '../../system/neighbour.js';
import { codeOf, listenOnce } from '../../system/system-error.js';
import { healthUrl } from '../process/run.js';
import { grouped, portFlag } from './options.js';

const FREE = '0 takes a free one';

const ofNetwork = grouped('Network');

export const serverPortFlag = (kind: Kind, zero = FREE): Option =>
  ofNetwork(
    portFlag(`--${kind}-port <number>`, `port of the ${kind} server; ${zero}`, factsOf(kind).rigPort),
  );

export const controlPortFlag = (zero = FREE): Option =>
  ofNetwork(portFlag('--control-port <number>', `port of the control API; ${zero}`, 3100));

/** 0 stands for a free port. */
export interface RequestedPort {
  readonly flag: string;
  readonly address: string;
  readonly port: number;
}

const ANY = ['0.0.0.0', '::'];

const listOf = (words: readonly string[]): string => new Intl.ListFormat('en-GB').format(words);

const clashIn = (ports: readonly RequestedPort[]): string | undefined => {
  for (const [index, { flag, address, port }] of ports.entries()) {
    const clash = ports
      .slice(0, index)
      .find(
        (earlier) =>
          earlier.port === port &&
          (earlier.address === address || [earlier.address, address].some((at) => ANY.includes(at))),
      );
    if (clash !== undefined) return `${clash.flag} and ${flag} are both ${port}: give each a port of its own`;
  }
  return undefined;
};

const isInUse = async ({ address, port }: RequestedPort): Promise<boolean> => {
  const failed = await listenOnce(address, port);
  return failed !== undefined && codeOf(failed) === 'EADDRINUSE';
};

const inUseMessage = (taken: readonly RequestedPort[], neighbours: readonly string[]): string => {
  const isSingle = taken.length === 1;
  const ports = `${isSingle ? 'port' : 'ports'} ${listOf(taken.map(({ port }) => String(port)))} ${isSingle ? 'is' : 'are'} in use`;
  const by =
    neighbours.length === 0
      ? ` by ${isSingle ? 'another program' : 'other programs'}`
      : ` by another airbench (${listOf(neighbours)})`;
  const flags = isSingle
    ? `${taken[0]?.flag ?? ''} (0 takes a free one)`
    : taken.map(({ flag }) => `${flag} 0`).join(' ');
  return `${ports}${by}: end ${isSingle || neighbours.length > 0 ? 'it' : 'them'}, or choose ${isSingle ? 'another' : 'free ones'} with ${flags}`;
};

/** Left: a message with the ports in use, the flags that change them, and the airbench programs that use them. */
export const checkPorts =
  (all: readonly RequestedPort[]): TE.TaskEither<string, void> =>
  async () => {
    const fixedPorts = all.filter(({ port }) => port !== 0);
    const clash = clashIn(fixedPorts);
    if (clash !== undefined) return E.left(clash);
    const inUse = await Promise.all(fixedPorts.map(isInUse));
    const taken = fixedPorts.filter((_, index) => inUse[index]);
    if (taken.length === 0) return E.right(undefined);
    const neighbours = await Promise.all(
      taken.map(({ address, port }) => airbenchAt(healthUrl(address, port))),
    );
    return E.left(
      inUseMessage(
        taken,
        neighbours.filter((name) => name !== undefined),
      ),
    );
  };
