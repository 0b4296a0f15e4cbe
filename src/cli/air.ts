import { readFileSync } from 'node:fs';
import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { ChaosPlan, DeviceSpec } from '../../simulators/control/index.js';
import { describeHciSpec } from '../ble/hci/spec.js';
import { listenSentence, type ServerError } from '../http/index.js';
import { systemClock } from '../time.js';
import { openLog } from './log.js';
import {
  choiceFlag,
  flag,
  integerFlag,
  optionalTextFlag,
  portFlag,
  switchFlag,
  textFlag,
  verboseFlag,
  type Read,
} from './options.js';
import { readyLine, run, type Running } from './run.js';
import { messageOf, sentence } from './sentence.js';

/** The simulated world is loaded only by those who want one. */
const world = () => import('../../simulators/control/index.js');
const radio = () => import('../../simulators/radio/index.js');

/** What a file of devices holds. */
type DeviceFile = readonly unknown[];

type DeviceSpecs = readonly DeviceSpec[];

/** The world that the flags describe. */
export interface DescribedWorld {
  readonly devices: DeviceSpecs;
  readonly chaos: ChaosPlan | undefined;
}

export interface AirFlags {
  /** -1: as many as the default world has, unless a file describes another. */
  readonly dice: number;
  /** The same. */
  readonly clocks: number;
  readonly devices: DeviceFile | undefined;
  readonly hciAddress: string;
  readonly hciPort: number;
  readonly hciSocket: string | undefined;
  readonly controlAddress: string;
  readonly controlPort: number;
  readonly maxLinks: number;
  readonly pace: 'fast' | 'real';
  readonly seed: number;
  readonly strict: boolean;
  readonly trace: string | undefined;
  readonly chaos: unknown;
  readonly verbose: number;
}

/** A simulated world that runs. */
export interface RunningAir {
  readonly hciPort: number;
  readonly controlPort: number;
  readonly ready: readonly string[];
  readonly close: () => Promise<void>;
}

/** The exit status after a wrong flag. */
const BAD_USAGE = 2;

/** Of each kind. */
const DEFAULT_DEVICES = 3;
const MAX_DEVICES = 2000;

const readJson = (path: string): E.Either<string, unknown> =>
  pipe(
    E.tryCatch(() => readFileSync(path, 'utf8'), messageOf),
    E.chain((text) =>
      pipe(
        J.parse(text),
        E.mapLeft((thrown) => `it is not valid JSON: ${messageOf(thrown)}`),
      ),
    ),
  );

const readDevices: Read<DeviceFile | undefined> = (path) =>
  pipe(
    readJson(path),
    E.chain((json) => (Array.isArray(json) ? E.right(json) : E.left('it must hold a JSON array of devices'))),
  );

/** The world that the flags describe; what is wrong in a file ends the program like any wrong flag. */
export const describedWorld = async (flags: AirFlags, command: Command): Promise<DescribedWorld> => {
  const { decodeChaos, decodeSpecs } = await world();
  const orEnd = <A>(option: string, decoded: E.Either<ServerError, A>): A =>
    pipe(
      decoded,
      E.getOrElse((error): A =>
        command.error(`error: option '${option}' is invalid: ${sentence(error)}`, { exitCode: BAD_USAGE }),
      ),
    );
  const usual = flags.devices === undefined ? DEFAULT_DEVICES : 0;
  const some = (kind: 'dice' | 'clock', count: number): DeviceFile =>
    Array<unknown>(count >= 0 ? count : usual).fill({ kind });
  const devices = [...(flags.devices ?? []), ...some('dice', flags.dice), ...some('clock', flags.clocks)];
  return {
    devices: orEnd('--devices <file>', decodeSpecs(devices)),
    chaos: flags.chaos === undefined ? undefined : orEnd('--chaos <plan>', decodeChaos(flags.chaos)),
  };
};

/** Where the H4 endpoint is, as `--hci` takes it. */
export const hciAt = ({ hciAddress }: AirFlags, port: number): string =>
  describeHciSpec({ kind: 'tcp', host: hciAddress, port });

const chaosLine = ({ seed, durationSecs }: ChaosPlan, faults: number): string =>
  `chaos  seed ${seed}  ${durationSecs} s  ${faults} faults`;

/** Starts the world: radio, devices, control API. Left is a sentence. */
export const startAir =
  (flags: AirFlags, { devices, chaos }: DescribedWorld): TE.TaskEither<string, RunningAir> =>
  async () => {
    const { Air, H4Server, Trace } = await radio();
    const { World, serveControl } = await world();
    const traced = E.tryCatch(
      () => new Trace(flags.trace === undefined ? {} : { file: flags.trace }),
      (thrown) => `the trace cannot be written: ${messageOf(thrown)}`,
    );
    if (E.isLeft(traced)) return traced;
    const trace = traced.right;
    const log = openLog('control API', flags.verbose);
    const air = new Air({ pace: flags.pace, seed: flags.seed, strict: flags.strict, trace });
    air.complaints.onNew(({ adapter, clause, sentence: what }) => log.warn({ adapter, clause }, what));
    const adapters = new H4Server(air, { maxLinks: flags.maxLinks });
    const inhabited = new World(air, adapters);
    const closeWorld = async (): Promise<void> => {
      await inhabited.close();
      await adapters.close();
      await trace.close();
    };
    const failed = async (reason: string): Promise<E.Either<string, RunningAir>> => {
      await closeWorld();
      return E.left(reason);
    };

    const populated = await inhabited.populate(devices)();
    if (E.isLeft(populated)) return failed(sentence(populated.left));
    try {
      const hciPort = await adapters.listen({ host: flags.hciAddress, port: flags.hciPort });
      if (flags.hciSocket !== undefined) await adapters.listen({ path: flags.hciSocket });
      const control = await serveControl({
        world: inhabited,
        address: flags.controlAddress,
        port: flags.controlPort,
        clock: systemClock,
        log,
      })();
      if (E.isLeft(control)) return await failed(`the control API ${listenSentence(control.left)}`);
      const { right: server } = control;
      if (chaos !== undefined) inhabited.chaos.start(chaos, true);
      return E.right({
        hciPort,
        controlPort: server.port,
        ready: [
          [
            'virtual radio',
            hciAt(flags, hciPort),
            ...(flags.hciSocket === undefined ? [] : [`unix:${flags.hciSocket}`]),
          ].join('  '),
          readyLine('control API', flags.controlAddress, server.port, '/events'),
          ...(chaos === undefined ? [] : [chaosLine(chaos, inhabited.chaos.schedule?.length ?? 0)]),
        ],
        close: async () => {
          await server.close();
          await closeWorld();
        },
      });
    } catch (error) {
      return failed(`the virtual radio cannot listen: ${messageOf(error)}`);
    }
  };

const countFlag = (name: string, description: string): Option =>
  integerFlag(
    name,
    description,
    { min: 0, max: MAX_DEVICES },
    -1,
    `${DEFAULT_DEVICES}, or none with --devices`,
  );

/** The flags of the simulated world, for `air` and for `rig`. */
export const airOptions = (): readonly Option[] => [
  countFlag('--dice <number>', 'how many dice'),
  countFlag('--clocks <number>', 'how many clocks'),
  flag<DeviceFile | undefined>(
    '--devices <file>',
    'a JSON file of devices, each as POST /devices takes it',
    readDevices,
    undefined,
    'none',
  ),
  textFlag('--hci-address <address>', 'address of the H4 endpoint', '127.0.0.1'),
  portFlag('--hci-port <number>', 'port of the H4 endpoint; 0 takes a free one', 6402),
  optionalTextFlag('--hci-socket <path>', 'a Unix socket as another H4 endpoint'),
  textFlag('--control-address <address>', 'address of the control API', '127.0.0.1'),
  portFlag('--control-port <number>', 'port of the control API; 0 takes a free one', 3100),
  integerFlag(
    '--max-links <number>',
    'how many links a server’s adapter has room for',
    { min: 1, max: 2000 },
    20,
  ),
  choiceFlag(
    '--pace <pace>',
    'real: as on the air; fast: as fast as it goes, for tests',
    ['real', 'fast'],
    'real',
  ),
  integerFlag('--seed <number>', 'the seed of all chance', { min: 0, max: 2 ** 32 - 1 }, 1),
  switchFlag(
    '--strict',
    'complain of what hosts at the H4 endpoint do wrong: a log line each, GET /complaints',
  ),
  optionalTextFlag('--trace <file>', 'write an HCI capture (btsnoop) for Wireshark or btmon'),
  flag<unknown>(
    '--chaos <plan>',
    'a JSON file of faults by chance, from a seed',
    readJson,
    undefined,
    'none',
  ),
];

const start = (flags: AirFlags, described: DescribedWorld): TE.TaskEither<string, Running> =>
  pipe(
    startAir(flags, described),
    TE.map(({ ready, controlPort, close }) => ({ ready: ready.join('\n'), port: controlPort, close })),
  );

const EXAMPLES = `
Examples:
  airbench air                              three dice and three clocks on a virtual radio
  airbench air --dice 100 --pace fast       a hundred, in no time
  airbench air --strict                     your own host, and what it does wrong
  airbench air --trace air.btsnoop          and a capture of all they say
  airbench air --chaos ci/chaos.json        and faults by chance, the same each time`;

/** `airbench air`: the simulated world alone. */
export const airCommand = (): Command => {
  const command = new Command('air').description('a simulated world: virtual radio, devices, control API');
  for (const option of airOptions()) command.addOption(option);
  return command
    .addOption(verboseFlag())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: AirFlags) => run(start(flags, await describedWorld(flags, command))));
};
