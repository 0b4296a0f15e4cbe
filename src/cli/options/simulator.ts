/** `--simulator`: the control API of a server's simulated dice. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { SimulatorAddress } from '../../dice/simulator.js';
import { flag, grouped } from './options.js';
import { readVariable } from './protection.js';

const VARIABLE = 'AIRBENCH_CONTROL_TOKEN';

const readUrl = (input: string): E.Either<string, string> => {
  const wrong = E.left('it must be a URL such as http://127.0.0.1:3100');
  if (!URL.canParse(input)) return wrong;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(input);
  return protocol === 'http:' && `${username}${password}${search}${hash}` === ''
    ? E.right(`${origin}${pathname.replace(/\/?$/, '/')}`)
    : wrong;
};

/** The token is in a variable: other users could read it in a flag. */
const readSimulator = (input: string): E.Either<string, SimulatorAddress> =>
  pipe(
    E.Do,
    E.apS('url', readUrl(input)),
    E.bind('tokens', () => readVariable(VARIABLE)),
    E.map(({ url, tokens: [entry] }) => ({ url, ...(entry !== undefined && { token: entry.token }) })),
  );

export const simulatorFlag = (): Option =>
  grouped('Devices')(
    flag<SimulatorAddress | undefined>(
      '--simulator <url>',
      `URL of the control API of simulated dice, which clients can roll then; its token is in ${VARIABLE}`,
      readSimulator,
      undefined,
    ),
  );
