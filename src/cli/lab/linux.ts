/** `airbench linux`: a program on the virtual radio, in a Linux guest. */
import { createWriteStream } from 'node:fs';
import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StreamSpec } from '../../ble/hci/spec.js';
import { builtInKinds } from '../../../simulators/control/kinds.js';
import { ownVariables, plainVariables } from '../../linux/command-script.js';
import { MAX_ADAPTERS, prepareMachine } from '../../linux/guest.js';
import { findImage } from '../../linux/find-image.js';
import type { Image } from '../../linux/image.js';
import { DEBIAN_ROOT, fetchRoot } from '../../linux/packages.js';
import type { Accelerator, Endpoint } from '../../linux/qemu.js';
import { signalStatus, startSessionOrBoot, type Session, type Streams } from '../../linux/session.js';
import { systemTime } from '../../async/time.js';
import {
  airOptions,
  describedWorld,
  startAir,
  type AirFlags,
  type DescribedWorld,
} from '../simulator/air.js';
import { Closers } from '../process/closers.js';
import { writeLine } from '../output/log.js';
import { withLog } from '../options/log-flags.js';
import {
  choiceFlag,
  flag,
  integerFlag,
  isGiven,
  listFlag,
  optionalTextFlag,
  readStream,
} from '../options/options.js';
import { temporaryFolder } from '../process/temporary-folder.js';
import { refuse } from '../options/usage.js';
import { messageOf } from '../../system/system-error.js';

interface LinuxFlags extends Omit<AirFlags, keyof typeof OWN_PLACE> {
  readonly hci: StreamSpec | undefined;
  readonly guest: string | undefined;
  readonly adapters: number;
  readonly packages: readonly string[];
  readonly root: 'this' | 'debian';
  readonly accelerator: Accelerator | 'auto';
  readonly start: 'restored' | 'booted';
}

/** The exit status when it is not the command's: the guest could not be had, or ended before it. */
const NO_COMMAND = 125;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const readPackage = (given: string): E.Either<string, string> =>
  /^[a-z0-9][a-z0-9+.-]+$/.test(given)
    ? E.right(given)
    : E.left('it must be names of packages with commas between');

/** Flags of `airbench air` whose world is the guest's. */
const WORLD_FLAGS = [
  ...Object.values(builtInKinds).map(({ plural }): string => plural),
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

/** The rest of them: the radio is this machine's alone. */
const OWN_PLACE = {
  ...{ hciAddress: '127.0.0.1', hciSocket: undefined, vhci: 0 },
  ...{ controlAddress: '127.0.0.1', controlTokenFile: undefined },
  ...{ allowOrigin: [], allowHost: [], trustProxy: [] },
};

/** The world of a radio that runs is described where it runs. */
const refuseWorld = (command: Command): void => {
  const given = worldOptions().find(({ long }) =>
    command.options.some((option) => option.long === long && isGiven(command, option)),
  );
  if (given !== undefined)
    refuse(command, `option '${given.flags}' is of a world of its own, which there is none of with --hci`);
};

/** Not `process.stdout` and `process.stderr`: they wait for a slow reader, and the radio with them. */
const output = (fd: number) => createWriteStream('', { fd, autoClose: false });

const streamsOfProcess = (): Streams => {
  const { stdin, stdout } = process;
  return {
    stdin,
    stdout: output(1),
    stderr: output(2),
    terminal: stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : undefined,
  };
};

/** Where the guest finds this machine's loopback. */
const HOST_IN_GUEST = '10.0.2.2';

/** The files of the guest, and the folders of its root. */
interface Fetched {
  readonly image: Image;
  readonly layers: readonly string[];
}

const fetchAll = async (
  { guest, root, packages: names }: LinuxFlags,
  signal: AbortSignal,
): Promise<Fetched> => {
  const wanted = [...(root === 'debian' ? DEBIAN_ROOT : []), ...names];
  const image = await findImage(guest, { signal });
  const more = wanted.length === 0 ? [] : [await fetchRoot(wanted, { signal })];
  return { image, layers: [...(root === 'debian' ? [] : ['/']), ...more] };
};

/** The radio of the guest, and what the command is told of it. */
interface Radio {
  readonly endpoint: Endpoint;
  readonly variables: Readonly<Record<string, string>>;
}

const openRadio = (
  flags: LinuxFlags,
  described: DescribedWorld,
  closers: Closers,
): TE.TaskEither<string, Radio> =>
  flags.hci !== undefined
    ? TE.right({ endpoint: flags.hci, variables: {} })
    : pipe(
        startAir({ ...flags, ...OWN_PLACE }, described),
        TE.map(({ hciPort, controlPort, close }) => {
          closers.add(close);
          return {
            endpoint: { kind: 'tcp', host: OWN_PLACE.hciAddress, port: hciPort },
            variables: { CONTROL_URL: `http://${HOST_IN_GUEST}:${controlPort}` },
          };
        }),
      );

/** Writes what a console says, in pieces of any size, line by line. */
const consoleOutput = (): ((text: string) => void) => {
  let output = '';
  return (text) => {
    const lines = `${output}${text}`.split(/\r*\n/);
    output = lines.pop() ?? '';
    lines.forEach(writeLine);
  };
};

/** Boots the guest, runs the command in it, and resolves with its exit status; Left is a message. */
const runCommand =
  (
    command: readonly string[],
    flags: LinuxFlags,
    described: DescribedWorld,
    { closers, stop, onSession }: Context,
  ): TE.TaskEither<string, number> =>
  async () => {
    const streams = streamsOfProcess();
    const { signal } = stop;
    return pipe(
      TE.Do,
      TE.apS('scratch', temporaryFolder()),
      TE.apS('radio', openRadio(flags, described, closers)),
      TE.apS(
        'fetched',
        TE.tryCatch(() => fetchAll(flags, signal), messageOf),
      ),
      TE.chain(({ scratch, radio: { endpoint, variables }, fetched: { image, layers } }) => {
        const env =
          flags.root === 'debian'
            ? plainVariables(process.env)
            : ownVariables(process.env, flags.packages.length > 0);
        const guest = {
          ...{ image, layers, folder: process.cwd(), radio: endpoint, adapters: flags.adapters },
          ...{ command, variables: { ...env, ...variables } },
          hasTerminal: streams.terminal !== undefined,
          accelerator: flags.accelerator === 'auto' ? undefined : flags.accelerator,
          isRestored: flags.start === 'restored',
        };
        return TE.tryCatch(() => prepareMachine(guest, scratch, { signal }), messageOf);
      }),
      TE.chain((machine) => {
        const consoleWriter = flags.verbose > 0 ? consoleOutput() : () => undefined;
        const session = startSessionOrBoot(machine, streams, consoleWriter, systemTime);
        onSession(session);
        return () => session.ended;
      }),
    )();
  };

interface Context {
  readonly closers: Closers;
  readonly stop: AbortController;
  readonly onSession: (session: Session) => void;
}

const linux = async (
  command: readonly string[],
  flags: LinuxFlags,
  described: DescribedWorld,
): Promise<number> => {
  const closers = new Closers();
  const stop = new AbortController();
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
  const ended = await runCommand(command, flags, described, {
    ...{ closers, stop },
    onSession: (begun) => {
      session = begun;
    },
  })();
  await closers.close();
  if (E.isRight(ended)) return ended.right;
  if (stoppedBy !== undefined) return signalStatus(stoppedBy);
  ended.left.split('\n').forEach(writeLine);
  return NO_COMMAND;
};

const EXAMPLES = `
Examples:
  npx airbench linux -- bluetoothctl                          BlueZ' shell, and three dice and three clocks on the radio
  npx airbench linux --packages python3-bleak -- python3 roll.py   a script of this folder, with Debian's bleak
  npx airbench linux --hci tcp:localhost:6402 -- ./my-program      on the radio of a running airbench air
  npx airbench linux --root debian -- bash                         none of this machine's programs`;

/** `airbench linux`: runs a program of Linux on the virtual radio. */
export const linuxCommand = (): Command => {
  const command = new Command('linux')
    .description('run a program in a Linux guest with Bluetooth adapters on a virtual radio')
    .usage('[options] -- COMMAND …')
    .argument('<command...>', 'a program of this machine, with its arguments')
    .addOption(
      optionalTextFlag(
        '--guest <path>',
        'the npm package airbench-guest, a file or a folder, where it is not installed',
      ),
    )
    .addOption(
      integerFlag(
        '--adapters <number>',
        'how many Bluetooth adapters the guest has',
        { min: 1, max: MAX_ADAPTERS },
        1,
      ),
    )
    .addOption(
      listFlag(
        '--packages <names>',
        'packages of Debian that this machine lacks, with commas between; their programs come first; repeatable',
        readPackage,
      ),
    )
    .addOption(
      choiceFlag(
        '--root <root>',
        'this: the root of this machine, read-only; debian: one of packages alone',
        ['this', 'debian'],
        'this',
      ),
    )
    .addOption(
      choiceFlag(
        '--accelerator <name>',
        'kvm, tcg (plain emulation), or auto: KVM where it works',
        ['auto', 'kvm', 'tcg'],
        'auto',
      ),
    )
    .addOption(
      choiceFlag(
        '--start <how>',
        'restored: from the state of a guest that has booted, which is kept in the cache; booted',
        ['restored', 'booted'],
        'restored',
      ),
    )
    .addOption(
      flag<StreamSpec | undefined>(
        '--hci <spec>',
        'the radio of a running airbench air, as tcp:HOST:PORT or unix:PATH; else there is one of its own',
        readStream,
        undefined,
        'none',
      ),
    );
  for (const option of worldOptions()) command.addOption(option);
  return withLog(command)
    .addHelpText('after', EXAMPLES)
    .action(async (words: readonly string[], flags: LinuxFlags) => {
      if (process.cwd() === '/')
        refuse(command, 'the current folder is /, and the guest may write to it: go to another');
      if (flags.hci !== undefined) refuseWorld(command);
      const described = await describedWorld({ ...flags, ...OWN_PLACE }, command);
      const status = await linux(words, flags, described);
      // The status of a command that succeeded tells the findings of a strict air.
      process.exit(status === 0 ? process.exitCode : status);
    });
};
