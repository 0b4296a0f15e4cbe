import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { airOptions, startAir, type AirFlags } from './air.js';
import { diceLimitOptions } from './dice.js';
import { portFlag, textFlag, verboseFlag } from './options.js';
import { readyLine, run, type Running } from './run.js';

interface RigFlags extends AirFlags {
  readonly address: string;
  readonly dicePort: number;
  /** The dice server's limits, as given. */
  readonly [limit: string]: unknown;
}

/** What a server says to whoever forked it, once it is ready. */
const Ready = t.type({ ready: t.type({ port: t.number }) });

/** A server in a process of its own. */
interface Server {
  readonly port: number;
  /** Rejects never; resolves with the exit status. */
  readonly ended: Promise<number | null>;
  readonly stop: () => void;
}

const exitStatus = async (child: ChildProcess): Promise<number | null> => {
  const [status] = (await once(child, 'exit')) as [number | null];
  return status;
};

/** The environment without our own variables: they are the rig's, and reach a server as flags. */
const foreignVariables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AIRBENCH_')));

/** Left when it ended before it was ready; it has said why on stderr. */
const startServer = async (args: readonly string[]): Promise<E.Either<string, Server>> => {
  const [, main = ''] = process.argv;
  const child = fork(main, [...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: foreignVariables(),
  });
  const ended = exitStatus(child);
  const ready = new Promise<number>((resolve) => {
    child.on('message', (message) => {
      if (Ready.is(message)) resolve(message.ready.port);
    });
  });
  const port = await Promise.race([ready, ended.then(() => undefined)]);
  if (port === undefined) return E.left(`the ${args[0] ?? ''} server did not start`);
  return E.right({ port, ended, stop: () => child.connected && child.disconnect() });
};

const start =
  (flags: RigFlags, limits: readonly string[]): TE.TaskEither<string, Running> =>
  async () => {
    const air = await startAir(flags)();
    if (E.isLeft(air)) return air;
    const dice = await startServer([
      'dice',
      ...['--hci', `tcp:${flags.hciAddress}:${air.right.hciPort}`],
      ...['--address', flags.address, '--port', String(flags.dicePort)],
      ...['--verbose', String(flags.verbose)],
      ...limits,
    ]);
    if (E.isLeft(dice)) {
      await air.right.close();
      return dice;
    }
    let closing = false;
    void dice.right.ended.then((status) => {
      if (closing) return;
      process.stderr.write(`the dice server ended with status ${String(status)}\n`);
      process.exit(1);
    });
    return E.right({
      ready: [readyLine('dice server', flags.address, dice.right.port), ...air.right.ready].join('\n'),
      port: dice.right.port,
      close: async () => {
        closing = true;
        dice.right.stop();
        await dice.right.ended;
        await air.right.close();
      },
    });
  };

const EXAMPLES = `
Examples:
  airbench rig                                       three dice, dice server on 3000, control API on 3100
  airbench rig --dice-port 0 --control-port 0 --hci-port 0   the same on free ports
  airbench rig --dice 100 --max-links 100 --pace fast         a hundred dice`;

/** `airbench rig`: a simulated world and the servers on it. */
export const rigCommand = (): Command => {
  const command = new Command('rig')
    .description('the simulated world and the servers on it, in one go')
    .addOption(textFlag('--address <address>', 'address the servers listen on', '0.0.0.0'))
    .addOption(portFlag('--dice-port <number>', 'port of the dice server; 0 takes a free one', 3000));
  for (const option of airOptions()) command.addOption(option);
  const limits = diceLimitOptions();
  for (const option of limits) command.addOption(option);
  return command
    .addOption(verboseFlag())
    .addHelpText('after', EXAMPLES)
    .action((flags: RigFlags) => {
      const passedOn = limits.flatMap((option) => [option.long ?? '', String(flags[option.attributeName()])]);
      return run(start(flags, passedOn));
    });
};
