/** `airbench linux`: a program on the virtual radio, in a Linux guest. */
import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { StreamSpec } from '../../src/ble/hci/spec.js';
import { countedKinds } from '../control/kinds.js';
import { cacheFolder, cacheSize, removeUnused } from '../lab/linux/cache.js';
import { MAX_ADAPTERS } from '../lab/linux/guest.js';
import type { Forwarded } from '../lab/linux/qemu.js';
import { signalStatus, type Session } from '../lab/linux/session.js';
import { airOptions, describedWorld, type DescribedWorld } from './air.js';
import { systemTime } from '../../src/async/time.js';
import { Closers } from '../../src/cli/process/closers.js';
import { writeLine } from '../../src/cli/output/log.js';
import { printLines } from '../../src/cli/output/print.js';
import { during, openProgress } from '../../src/cli/output/progress.js';
import { withLog } from '../../src/cli/options/common-flags.js';
import {
  choiceFlag,
  flag,
  grouped,
  integerFlag,
  isGiven,
  listFlag,
  optionalTextFlag,
  readStream,
  type Read,
} from '../../src/cli/options/options.js';
import { refuse } from '../../src/cli/options/usage.js';
import { OWN_PLACE, runCommands, streamsOfProcess, type Context, type LinuxFlags } from './linux-guests.js';
import { keepGuest, runInGuest } from './linux-kept.js';

/** The exit status if there is no guest, or if the guest ended before the command did. */
const NO_COMMAND = 125;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const nameFlag = (flags: string, description: string): Option =>
  flag<string | undefined>(
    flags,
    description,
    (input) =>
      /^[\w.-]{1,40}$/.test(input)
        ? E.right(input)
        : E.left('it must be a name of 1 to 40 letters, digits, dots, underscores and hyphens'),
    undefined,
    'none',
  );

const readPackage = (input: string): E.Either<string, string> =>
  /^[a-z0-9][a-z0-9+.-]+$/.test(input)
    ? E.right(input)
    : E.left('it must be names of packages with commas between');

const readForward = (input: string): E.Either<string, Forwarded> => {
  const [host = 0, guest = 0] = (/^(\d{1,5}):(\d{1,5})$/.exec(input) ?? []).slice(1).map(Number);
  return [host, guest].every((port) => port > 0 && port < 65536)
    ? E.right({ host, guest })
    : E.left('it must be HERE:THERE, two ports from 1 to 65535');
};

const readBeside: Read<readonly string[]> = (input, previous) =>
  input.trim() === '' ? E.left('it must be a command') : E.right([...previous, input]);

/** Flags of `airbench air` that describe the world of the guest. */
const WORLD_FLAGS = [
  ...Object.values(countedKinds).map(({ plural }): string => plural),
  'devices',
  'hciPort',
  'controlPort',
  'maxLinks',
  'pace',
  'seed',
  'strict',
  'report',
  'failOnViolation',
  'trace',
  'chaos',
];

const worldOptions = (): readonly Option[] =>
  airOptions()
    .filter((option) => WORLD_FLAGS.includes(option.attributeName()))
    .map((option) => (option.long?.endsWith('-port') === true ? option.default(0, 'a free one') : option));

/** Refuses the first of `options` on the command line or in the environment, with `reason`. */
const refuseGiven = (command: Command, options: readonly Option[], reason: string): void => {
  const unfit = options.find(({ long }) =>
    command.options.some((option) => option.long === long && isGiven(command, option)),
  );
  if (unfit !== undefined) refuse(command, `option '${unfit.flags}' ${reason}`);
};

const run = (
  command: readonly string[],
  flags: LinuxFlags,
  described: DescribedWorld,
  context: Context,
): TE.TaskEither<string, number> => {
  if (flags.in !== undefined) return runInGuest(flags.in, command, context);
  if (flags.keep !== undefined) return keepGuest(flags.keep, flags, described, context);
  return runCommands(command, streamsOfProcess(), flags, described, context);
};

const linux = async (
  command: readonly string[],
  flags: LinuxFlags,
  described: DescribedWorld,
): Promise<number> => {
  const closers = new Closers();
  const stop = new AbortController();
  const progress = openProgress(systemTime);
  let session: Session | undefined;
  let stoppedBy: NodeJS.Signals | undefined;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (session !== undefined) {
        session.signal(name);
        return;
      }
      stoppedBy = name;
      stop.abort();
    });
  }
  const context: Context = {
    ...{ closers, stop, progress },
    onSession: (begun) => {
      session = begun;
    },
  };
  const ended = await run(command, flags, described, context)();
  progress.end();
  await closers.close();
  if (E.isRight(ended)) return ended.right;
  if (stoppedBy !== undefined) return signalStatus(stoppedBy);
  ended.left.split('\n').forEach(writeLine);
  return NO_COMMAND;
};

/** Removes folders of the cache without a use in the last `days` days, and prints their size. */
const prune = async (days: number): Promise<void> => {
  const line = await during('removing unused files from the cache', async () => {
    const before = await cacheSize();
    const removed = await removeUnused(days);
    const megabytes = ((before - (await cacheSize())) / 1e6).toFixed(0);
    return `removed ${removed} folders of ${cacheFolder()}, ${megabytes} MB`;
  });
  printLines([line]);
};

const EXAMPLES = `
Examples:
  npx airbench linux -- bluetoothctl                          BlueZ' shell, and three dice and three clocks on the radio
  npx airbench linux --packages python3-bleak -- python3 roll.py   a script of this folder, with Debian's bleak
  npx airbench linux --hci tcp:localhost:6402 -- ./my-program      on the radio of a running airbench air
  npx airbench linux --beside 'python3 peripheral.py' -- python3 roll.py     two guests on one radio
  npx airbench linux --keep bench                                  a guest for many commands, until Ctrl-C
  npx airbench linux --in bench -- bluetoothctl list               a command in this guest
  npx airbench linux --prune                                       removes files that no guest has used for a day
  npx airbench linux --root debian -- bash                         none of this machine's programs`;

const machineOptions = (): readonly Option[] =>
  [
    choiceFlag(
      '--root <root>',
      'this: the root of this machine, read-only; debian: a root of packages alone',
      ['this', 'debian'],
      'this',
    ),
    integerFlag(
      '--adapters <number>',
      'number of Bluetooth adapters of the guest',
      { min: 1, max: MAX_ADAPTERS },
      1,
    ),
    choiceFlag(
      '--accelerator <name>',
      'kvm, tcg (plain emulation), or auto: KVM where it works',
      ['auto', 'kvm', 'tcg'],
      'auto',
    ),
    integerFlag(
      '--cpus <number>',
      'number of processors of the guest',
      { min: 1, max: 32 },
      undefined,
      '2 with KVM, else 1',
    ),
    integerFlag(
      '--memory <MiB>',
      'memory of the guest, which also holds changes to its root',
      { min: 512, max: 65536 },
      1024,
    ),
    choiceFlag(
      '--start <how>',
      'restored: continue from the state of a booted guest in the cache; booted: boot the guest',
      ['restored', 'booted'],
      'restored',
    ),
  ].map(grouped('Virtual machine'));

const guestOptions = (): readonly Option[] => [
  ...[
    optionalTextFlag(
      '--guest <path>',
      'file or folder of the npm package airbench-guest, if it is not installed',
    ),
    flag<readonly string[]>(
      '--beside <command>',
      'a shell command in another guest on the same radio, which starts before COMMAND and ends with it; repeatable',
      readBeside,
      [],
      'none',
    ),
    nameFlag('--keep <name>', 'without a command: keep a guest for commands with --in until Ctrl-C'),
    nameFlag('--in <name>', 'run the command in the kept guest with this name'),
    listFlag(
      '--packages <names>',
      'packages of Debian for the guest, with commas between; their programs come first; repeatable',
      readPackage,
    ),
    listFlag(
      '--forward <ports>',
      'ports of this machine’s loopback that lead to ports of the guest, each as HERE:THERE, with commas between; repeatable',
      readForward,
    ),
    flag<number | undefined>(
      '--prune [days]',
      'without a command: remove files from the cache that no guest has used for this many days, 1 by default, and print their size',
      (input) =>
        /^\d{1,4}$/.test(input) ? E.right(Number(input)) : E.left('it must be a whole number of days'),
      undefined,
      'nothing is removed',
    ).preset('1'),
  ].map(grouped('Guest')),
  ...machineOptions(),
  grouped('Radio')(
    flag<StreamSpec | undefined>(
      '--hci <spec>',
      'the radio of a running airbench air, as tcp:HOST:PORT or unix:PATH; without it, a new radio',
      readStream,
      undefined,
      'none',
    ),
  ),
];

/** Refuses contradicting flags. */
const refuseMisuse = (command: Command, words: readonly string[], flags: LinuxFlags): void => {
  if (flags.keep === undefined && words.length === 0) refuse(command, "missing required argument 'command'");
  if (flags.keep !== undefined && (words.length > 0 || flags.in !== undefined))
    refuse(command, "option '--keep <name>' takes no command: run some with --in");
  if (flags.keep !== undefined && flags.root === 'debian')
    refuse(command, "option '--keep <name>' needs this machine's root, for Node");
  if (process.cwd() === '/')
    refuse(command, 'the current folder is /, and the guest may write to it: go to another');
  if (flags.hci !== undefined)
    refuseGiven(command, worldOptions(), 'starts a simulation, which --hci replaces');
  if (flags.in !== undefined)
    refuseGiven(
      command,
      [...guestOptions(), ...worldOptions()].filter(({ long }) => long !== '--in'),
      'is of a new guest: give it with --keep, not with --in',
    );
};

/** `airbench linux`: runs a program of Linux on the virtual radio. */
export const linuxCommand = (): Command => {
  const command = new Command('linux')
    .description('run a program in a Linux guest with Bluetooth adapters on a virtual radio')
    .usage('[options] -- COMMAND …')
    .argument('[command...]', 'a program of this machine, with its arguments');
  for (const option of [...guestOptions(), ...worldOptions()]) command.addOption(option);
  return withLog(command)
    .addHelpText('after', EXAMPLES)
    .action(async (words: readonly string[], flags: LinuxFlags) => {
      if (flags.prune !== undefined) {
        if (words.length > 0 || flags.keep !== undefined || flags.in !== undefined)
          refuse(command, "option '--prune [days]' takes no command and no guest");
        await prune(flags.prune);
        return;
      }
      refuseMisuse(command, words, flags);
      const described = await describedWorld({ ...flags, ...OWN_PLACE }, command);
      const status = await linux(words, flags, described);
      // Node 20 crashes when it resets a lost terminal, so the signal of the loss ends this process instead.
      if (process.stdin.isTTY && status === signalStatus('SIGHUP')) {
        process.removeAllListeners('SIGHUP');
        process.kill(process.pid, 'SIGHUP');
      }
      // After a successful command, the exit status reports the findings of a strict air.
      process.exit(status === 0 ? process.exitCode : status);
    });
};
