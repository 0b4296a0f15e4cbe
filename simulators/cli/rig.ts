import { randomBytes } from 'node:crypto';
import { Command, type Option } from 'commander';
import { separate } from 'fp-ts/lib/Array.js';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../src/async/defects.js';
import { systemTime } from '../../src/async/time.js';
import { makeFolder } from '../../src/system/make-folder.js';
import { systemReason } from '../../src/system/system-error.js';
import { factsOf, KINDS, perKind, type Kind } from '../../src/contract/index.js';
import {
  airOptions,
  airPorts,
  describedWorld,
  startAir,
  type AirFlags,
  type DescribedWorld,
  type RunningAir,
} from './air.js';
import { clockLimitOptions } from '../../src/cli/servers/clock.js';
import { Closers } from '../../src/cli/process/closers.js';
import { withConfig, withLog } from '../../src/cli/options/common-flags.js';
import { diceLimitOptions } from '../../src/cli/servers/dice.js';
import { openLog, writeLine } from '../../src/cli/output/log.js';
import { isOnDesktop } from '../../src/cli/process/open-page.js';
import { grouped, optionalTextFlag, switchFlag, textFlag } from '../../src/cli/options/options.js';
import { checkPorts, serverPortFlag } from '../../src/cli/options/ports.js';
import { healthUrl, pageUrl, proxyUrl, readyLine, run, type Running } from '../../src/cli/process/run.js';
import { pageOptions, pagesOf, type PageFlags } from '../../src/cli/options/pages.js';
import { startServer, type ServerProcess } from '../../src/cli/servers/server-process.js';
import { temporaryFolder } from '../../src/cli/process/temporary-folder.js';
import { hciAt } from './virtual-radio.js';

type PortFlags = Readonly<Record<`${Kind}Port`, number>>;

interface RigFlags extends AirFlags, PageFlags, PortFlags {
  readonly address: string;
  /** Undefined: a temporary folder, since the devices of a rig are new each time. */
  readonly dataDir: string | undefined;
  readonly open: boolean;
  readonly endWithStdin: boolean;
  readonly [limit: string]: unknown;
}

type LimitArguments = Readonly<Record<Kind, readonly string[]>>;

const LIMIT_OPTIONS: Readonly<Record<Kind, () => readonly Option[]>> = {
  dice: diceLimitOptions,
  clock: clockLimitOptions,
};

/** The flags of a server's radio: its share of the proxies, since a proxy serves one client, else an adapter for the server. */
const radioOf = (kind: Kind, flags: RigFlags, { hciPort, proxies }: RunningAir): readonly string[] => {
  if (proxies.length === 0) return ['--hci', hciAt(flags, hciPort)];
  const each = proxies.length / KINDS.length;
  const first = KINDS.indexOf(kind) * each;
  return proxies
    .slice(first, first + each)
    .flatMap(({ port }) => ['--proxy', proxyUrl(flags.proxyAddress, port)]);
};

/** The surroundings of the servers of the rig. */
interface Surroundings {
  readonly air: RunningAir;
  readonly dataFolder: string;
  /** The token of the dice server for the control API. */
  readonly token: string;
}

/** The flags and the variables that let the dice server roll its dice. */
const simulatorOf = ({ controlAddress }: RigFlags, { air, token }: Surroundings) => ({
  args: ['--simulator', pageUrl(controlAddress, air.controlPort)],
  env: { AIRBENCH_CONTROL_TOKEN: token },
});

/** Starts the servers, and adds each to `closers`. */
const startServers = (
  flags: RigFlags,
  limits: LimitArguments,
  surroundings: Surroundings,
  closers: Closers,
): Promise<E.Either<string, ServerProcess>[]> => {
  const common = [
    ...['--address', flags.address, '--verbose', String(flags.verbose)],
    ...['--data-dir', surroundings.dataFolder],
  ];
  const [, main = ''] = process.argv;
  return Promise.all(
    KINDS.map((kind) => {
      const { args, env } = kind === 'dice' ? simulatorOf(flags, surroundings) : { args: [], env: {} };
      const port = ['--port', String(flags[`${kind}Port`])];
      return startServer(
        kind,
        [...radioOf(kind, flags, surroundings.air), ...common, ...port, ...args, ...limits[kind]],
        { main, closers, time: systemTime, env },
      );
    }),
  );
};

const lastingFolder = (folder: string): TE.TaskEither<string, string> =>
  TE.tryCatch(
    () => makeFolder(folder).then(() => folder),
    (thrown) => `--data-dir: ${folder} cannot be made: ${systemReason(thrown)}`,
  );

/** Starts world and servers, and adds each to `closers`. */
const start =
  (
    flags: RigFlags,
    described: DescribedWorld,
    limits: LimitArguments,
    closers: Closers,
  ): TE.TaskEither<string, Running> =>
  async () => {
    const free = await checkPorts([
      ...KINDS.map((kind) => ({
        flag: `--${kind}-port`,
        address: flags.address,
        port: flags[`${kind}Port`],
      })),
      ...airPorts(flags),
    ])();
    if (E.isLeft(free)) return free;
    const token = randomBytes(24).toString('base64url');
    const air = await startAir(flags, described, [{ name: 'dice server', scope: 'full', token }])();
    if (E.isLeft(air)) return air;
    closers.add(air.right.close);
    const folder = await (flags.dataDir === undefined ? temporaryFolder() : lastingFolder(flags.dataDir))();
    if (E.isLeft(folder)) {
      await closers.close();
      return folder;
    }
    const surroundings = { air: air.right, dataFolder: folder.right, token };
    const started = await startServers(flags, limits, surroundings, closers);
    const { left: failures, right: servers } = separate(started);
    if (failures.length > 0) {
      await closers.close();
      // Both servers often have the same reason.
      return E.left([...new Set(failures)].join('; '));
    }
    for (const { name, ended } of servers) {
      detached(
        ended.then(async (description) => {
          if (closers.closed) return;
          writeLine(`the ${name} ${description}`);
          await closers.close();
          process.exit(1);
        }),
      );
    }
    const listening = perKind((kind) => ({
      address: flags.address,
      port: servers[KINDS.indexOf(kind)]?.port ?? 0,
    }));
    const { port } = listening.dice;
    const pages = pagesOf(flags, {
      ...listening,
      simulator: { address: flags.controlAddress, port: air.right.controlPort },
    });
    for (const { tell } of [...servers, air.right]) tell(pages);
    const page = pageUrl(flags.address, port);
    const offer = !flags.open && isOnDesktop(process.stdout, process.env) ? '  (--open shows it)' : '';
    return E.right({
      ready: [
        `page  ${page}${offer}`,
        ...servers.map(({ name, port }) => readyLine(name, flags.address, port)),
        ...air.right.ready,
      ],
      log: openLog('rig', flags.verbose),
      warnings: [...new Set([...servers.flatMap(({ warnings }) => warnings), ...air.right.warnings])],
      port,
      health: healthUrl(flags.address, port),
      open: flags.open ? page : undefined,
      close: closers.close,
    });
  };

const EXAMPLES = `
Examples:
  npx airbench rig                                       three dice on 3000, three clocks on 3001, control API on 3100
  npx airbench rig --dice-port 0 --clock-port 0 --control-port 0 --hci-port 0   the same on free ports
  npx airbench rig --dice 100 --max-links 100 --pace fast         a hundred dice
  npx airbench rig --pixels 3                                     and three Pixels dice
  npx airbench rig --proxies 3                                    three Bluetooth proxies for each server
  npx airbench rig --config rig.yml                               flags from a file`;

const shown = (option: Option): string => option.defaultValueDescription ?? String(option.defaultValue);

/** The limits of all servers, each flag once; where defaults differ, the help shows all of them. */
const limitOptions = (optionsOf: Readonly<Record<Kind, readonly Option[]>>): readonly Option[] => {
  const all = KINDS.flatMap((kind) => optionsOf[kind].map((option) => ({ option, kind })));
  return [...new Set(all.map(({ option }) => option.long))].flatMap((long) => {
    const same = all.filter(({ option }) => option.long === long);
    const defaults = new Set(same.map(({ option }) => shown(option)));
    return same.slice(0, 1).map(({ option }) => {
      option.description = [...new Set(same.map((entry) => entry.option.description))].join('; ');
      if (defaults.size === 1) return option;
      const texts = same.map((entry) => `${shown(entry.option)} for ${factsOf(entry.kind).devices}`);
      return option.default(option.defaultValue, texts.join(', '));
    });
  });
};

const rigOptions = (): readonly Option[] => [
  ...[
    textFlag('--address <address>', 'address on which the servers listen', '0.0.0.0'),
    ...KINDS.map((kind) => serverPortFlag(kind)),
  ].map(grouped('Network')),
  ...airOptions(),
  ...[switchFlag('--open', 'open the page in the browser'), ...pageOptions()].map(grouped('Pages')),
  grouped('Records')(
    optionalTextFlag(
      '--data-dir <folder>',
      'folder for the memory of the servers; without it, a temporary one',
    ),
  ),
];

/** `airbench rig`: a simulated world and the servers on it. */
export const rigCommand = (): Command => {
  const command = new Command('rig').description(
    'start a simulated radio with virtual devices, and both servers on it',
  );
  const optionsOf = perKind((kind) => LIMIT_OPTIONS[kind]());
  const endWithStdin = grouped('General')(
    switchFlag('--end-with-stdin', 'end when stdin ends, as it does with the program that started the rig'),
  );
  for (const option of [...rigOptions(), ...limitOptions(optionsOf), endWithStdin]) command.addOption(option);
  return withLog(withConfig(command))
    .addHelpText('after', EXAMPLES)
    .action(async (flags: RigFlags) => {
      const argumentsFor = (options: readonly Option[]): readonly string[] =>
        options
          .filter((option) => flags[option.attributeName()] !== undefined)
          .filter((option) => command.getOptionValueSource(option.attributeName()) !== 'default')
          .flatMap((option) => [option.long ?? '', String(flags[option.attributeName()])]);
      const limits = perKind((kind) => argumentsFor(optionsOf[kind]));
      const closers = new Closers();
      const proxies = flags.proxies * KINDS.length;
      const world = await describedWorld(flags, command);
      return run(start({ ...flags, proxies }, world, limits, closers), closers.close, flags);
    });
};
