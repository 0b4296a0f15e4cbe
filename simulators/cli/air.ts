import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { ChaosPlan, DeviceSpec, ParseError, ProxyReport } from '../control/index.js';
import type { Logger } from 'pino';
import { countedKinds } from '../control/kinds.js';
import { readJson } from '../../src/system/files.js';
import { readJsonOrYaml } from '../../src/system/yaml.js';
import { listenMessage } from '../../src/http/index.js';
import type { Token } from '../../src/access/access.js';
import type { Pages } from '../../src/contract/index.js';
import { MAX_SLOTS, USUAL_SLOTS } from '../../src/contract/proxies.js';
import { openProcessMetrics } from '../../src/metrics/process.js';
import { systemTime } from '../../src/async/time.js';
import { benchOptions, startBench, wantedBench, type BenchFlags } from './bench.js';
import { openLog } from '../../src/cli/output/log.js';
import { withLog } from '../../src/cli/options/common-flags.js';
import {
  choiceFlag,
  flag,
  grouped,
  integerFlag,
  optionalTextFlag,
  portFlag,
  textFlag,
  type Read,
} from '../../src/cli/options/options.js';
import {
  controlTokenOption,
  openControlProtection,
  originOptions,
  type ControlFlags,
} from '../../src/cli/options/protection.js';
import { checkPorts, controlPortFlag, type RequestedPort } from '../../src/cli/options/ports.js';
import { checkReportFlags, openReports, reportOptions, type ReportFlags } from './report.js';
import { closingOnFailure } from '../../src/cli/process/closers.js';
import { healthUrl, proxyUrl, readyLine, run, type Running } from '../../src/cli/process/run.js';
import { orRefuse } from '../../src/cli/options/usage.js';
import { openVirtualRadio, type RadioFlags } from './virtual-radio.js';

/** Loads the simulated world on demand. */
const world = () => import('../control/index.js');

type DeviceFile = readonly unknown[];

type DeviceSpecs = readonly DeviceSpec[];

export interface DescribedWorld {
  readonly devices: DeviceSpecs;
  readonly chaos: ChaosPlan | undefined;
}

const counted = Object.values(countedKinds);

/** The number of devices of each kind; -1: the number in the default world, or none if a file describes devices. */
type CountFlags = Readonly<Record<(typeof counted)[number]['plural'], number>>;

export interface AirFlags extends RadioFlags, ReportFlags, ControlFlags, CountFlags {
  readonly proxies: number;
  readonly proxyAddress: string;
  readonly proxyPort: number;
  readonly proxySlots: number;
  readonly devices: DeviceFile | undefined;
  readonly controlPort: number;
  readonly chaos: unknown;
  readonly verbose: number;
}

export interface RunningAir {
  readonly hciPort: number;
  readonly controlPort: number;
  readonly proxies: readonly ProxyReport[];
  readonly ready: readonly string[];
  readonly log: Logger;
  readonly warnings: readonly string[];
  /** Passes the addresses of the rig's pages to the page of this air. */
  readonly tell: (pages: Pages) => void;
  readonly close: () => Promise<void>;
}

const MAX_DEVICES = 2000;
const MAX_KERNEL_ADAPTERS = 100;
const MAX_PROXIES = 50;

/** The ports of the proxies; 0: each takes a free one. */
const proxyPorts = ({ proxies, proxyPort }: Pick<AirFlags, 'proxies' | 'proxyPort'>): readonly number[] =>
  Array.from({ length: proxies }, (_, index) => (proxyPort === 0 ? 0 : proxyPort + index));

const proxyLine = (address: string, { name, port, slots }: ProxyReport): string =>
  `proxy ${name}  ${proxyUrl(address, port)}  slots ${slots}`;

const listOf = (input: unknown): DeviceFile => (Array.isArray(input) ? (input as DeviceFile) : [input]);

const readDevices: Read<DeviceFile | undefined> = (path, previous) =>
  pipe(
    readJsonOrYaml(path),
    E.map((devices): DeviceFile => [...(previous ?? []), ...listOf(devices)]),
  );

/** The world that the flags describe; an error in a file ends the program as a wrong flag does. */
export const describedWorld = async (flags: AirFlags, command: Command): Promise<DescribedWorld> => {
  checkReportFlags(flags, command);
  const { decodeChaos, decodeSpecs } = await world();
  const orEnd = <A>(option: string, decoded: E.Either<ParseError, A>): A =>
    orRefuse(command, decoded, ({ message }) => `option '${option}' is invalid: ${message}`);
  const byCount = Object.entries(countedKinds).flatMap(([kind, { plural, usualCount }]): DeviceFile => {
    const usual = flags.devices === undefined ? usualCount : 0;
    return Array<unknown>(flags[plural] >= 0 ? flags[plural] : usual).fill({ kind });
  });
  const devices = [...(flags.devices ?? []), ...byCount];
  return {
    devices: orEnd('--devices <file>', decodeSpecs(devices)),
    chaos: flags.chaos === undefined ? undefined : orEnd('--chaos <plan>', decodeChaos(flags.chaos)),
  };
};

const chaosLine = ({ seed, durationSecs }: ChaosPlan, faults: number): string =>
  `chaos  seed ${seed}  ${durationSecs} s  ${faults} faults`;

/** Starts the world: radio, devices, control API, to which `tokens` give access beside those of the flags. Left is a message. */
export const startAir = (
  flags: AirFlags,
  { devices, chaos }: DescribedWorld,
  tokens: readonly Token[] = [],
): TE.TaskEither<string, RunningAir> =>
  pipe(
    openVirtualRadio(flags),
    TE.chain((radio) =>
      closingOnFailure(async (closers) => {
        closers.add(radio.close);
        const { World, deviceMessage, serveControl } = await world();
        const log = openLog('control API', flags.verbose);
        const opened = openControlProtection(flags, log, tokens);
        if (E.isLeft(opened)) return opened;
        const { protection, warnings, close: closeProtection } = opened.right;
        closers.add(closeProtection);
        const reports = openReports(flags, radio.air, radio.trace);
        if (E.isLeft(reports)) return reports;
        radio.air.violations.onNew(({ adapter, clause, message, first }) =>
          log.warn({ adapter, clause, packet: first?.number }, message),
        );
        const simulated = new World(radio.air, radio.adapters, undefined, flags.proxyAddress);
        closers.add(() => simulated.close());
        const populated = await simulated.populate(devices)();
        if (E.isLeft(populated)) return E.left(deviceMessage(populated.left));
        const proxies = await simulated.populateProxies(
          proxyPorts(flags).map((port, index) => ({
            ...{ name: `proxy-${index + 1}`, port, slots: flags.proxySlots },
          })),
        )();
        if (E.isLeft(proxies)) return E.left(deviceMessage(proxies.left));
        const listening = await radio.listen();
        if (E.isLeft(listening)) return listening;
        let pages: Pages | null = null;
        const control = await serveControl({
          world: simulated,
          pages: () => pages,
          address: flags.controlAddress,
          port: flags.controlPort,
          time: systemTime,
          log,
          metrics: openProcessMetrics('control'),
          protection,
        })();
        if (E.isLeft(control)) return E.left(`the control API ${listenMessage(control.left)}`);
        const { right: server } = control;
        closers.add(() => server.close());
        // Last, since the kernel gives a controller two seconds to answer.
        const plugged = await radio.plugIn();
        if (E.isLeft(plugged)) return plugged;
        if (chaos !== undefined) simulated.chaos.start(chaos, true);
        return E.right({
          hciPort: listening.right.hciPort,
          controlPort: server.port,
          proxies: simulated.proxies.list(),
          ready: [
            listening.right.ready,
            ...simulated.proxies.list().map((proxy) => proxyLine(flags.proxyAddress, proxy)),
            ...plugged.right,
            readyLine('control API', flags.controlAddress, server.port, '/events'),
            ...(chaos === undefined ? [] : [chaosLine(chaos, simulated.chaos.schedule?.length ?? 0)]),
          ],
          ...{ log, warnings },
          tell: (addresses) => (pages = addresses),
          close: async () => {
            await closers.close();
            await reports.right();
          },
        });
      }),
    ),
  );

/** The limit of a path in the address of a Unix socket, bytes; Node silently cuts a longer path. */
const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;

const readSocketPath: Read<string | undefined> = (path) =>
  path !== '' && Buffer.byteLength(path) <= MAX_SOCKET_PATH
    ? E.right(path)
    : E.left(`it must be 1 to ${MAX_SOCKET_PATH} bytes long`);

const deviceOptions = (): readonly Option[] =>
  [
    ...counted.map(({ plural, title, server, usualCount }) =>
      integerFlag(
        `--${plural} <number>`,
        `number of ${title}, for the ${server} server`,
        { min: 0, max: MAX_DEVICES },
        -1,
        usualCount === 0 ? '0' : `${usualCount}, or none with --devices`,
      ),
    ),
    flag<DeviceFile | undefined>(
      '--devices <file>',
      'a JSON or YAML file of one device or an array of them, each in the format of POST /devices; repeatable',
      readDevices,
      undefined,
      'none',
    ),
  ].map(grouped('Devices'));

const radioOptions = (): readonly Option[] =>
  [
    textFlag('--hci-address <address>', 'address of the H4 endpoint', '127.0.0.1'),
    portFlag('--hci-port <number>', 'port of the H4 endpoint; 0 takes a free one', 6402),
    flag<string | undefined>(
      '--hci-socket <path>',
      'a Unix socket as another H4 endpoint',
      readSocketPath,
      undefined,
    ),
    integerFlag(
      '--max-links <number>',
      'number of links that a server’s adapter supports',
      { min: 1, max: 2000 },
      20,
    ),
    integerFlag(
      '--vhci [number]',
      'number of adapters to add to this machine’s kernel by /dev/vhci, on the radio; 1 without a number',
      { min: 0, max: MAX_KERNEL_ADAPTERS },
      0,
    ).preset('1'),
    choiceFlag(
      '--pace <pace>',
      'real: timing as on the air; fast: as fast as possible, for tests',
      ['real', 'fast'],
      'real',
    ),
    integerFlag('--seed <number>', 'seed of all random numbers', { min: 0, max: 2 ** 32 - 1 }, 1),
    flag<unknown>('--chaos <plan>', 'a JSON file with a plan of random faults', readJson, undefined, 'none'),
  ].map(grouped('Radio'));

const proxyOptions = (): readonly Option[] =>
  [
    integerFlag(
      '--proxies <number>',
      'number of Bluetooth proxies of ESPHome on the radio; in a rig, for each server',
      { min: 0, max: MAX_PROXIES },
      0,
    ),
    textFlag('--proxy-address <address>', 'address of these proxies', '127.0.0.1'),
    portFlag(
      '--proxy-port <number>',
      'port of the first proxy, with the next ports for the others; 0 takes free ones',
      6053,
    ),
    integerFlag(
      '--proxy-slots <number>',
      'number of links that each proxy supports',
      { min: 1, max: MAX_SLOTS },
      USUAL_SLOTS,
    ),
  ].map(grouped('Bluetooth proxies'));

/** The flags of the simulated world, for `air` and for `rig`. */
export const airOptions = (): readonly Option[] => [
  ...deviceOptions(),
  ...radioOptions(),
  ...proxyOptions(),
  ...[
    textFlag('--control-address <address>', 'address of the control API', '127.0.0.1'),
    controlPortFlag(),
  ].map(grouped('Network')),
  controlTokenOption(),
  ...[
    ...reportOptions(),
    optionalTextFlag('--trace <file>', 'write an HCI capture (btsnoop) for Wireshark or btmon'),
  ].map(grouped('Reports')),
];

export const airPorts = (
  flags: Pick<
    AirFlags,
    'controlAddress' | 'controlPort' | 'hciAddress' | 'hciPort' | 'proxies' | 'proxyAddress' | 'proxyPort'
  >,
): readonly RequestedPort[] => [
  { flag: '--control-port', address: flags.controlAddress, port: flags.controlPort },
  { flag: '--hci-port', address: flags.hciAddress, port: flags.hciPort },
  ...proxyPorts(flags).map((port) => ({ flag: '--proxy-port', address: flags.proxyAddress, port })),
];

const start = (flags: AirFlags, described: DescribedWorld): TE.TaskEither<string, Running> =>
  pipe(
    checkPorts(airPorts(flags)),
    TE.chain(() => startAir(flags, described)),
    TE.map(({ ready, log, warnings, controlPort, close }) => ({
      ...{ ready, log, warnings },
      port: controlPort,
      health: healthUrl(flags.controlAddress, controlPort),
      close,
    })),
  );

const EXAMPLES = `
Examples:
  npx airbench air                              three dice and three clocks on a virtual radio
  npx airbench air --dice 100 --pace fast       a hundred dice, as fast as possible
  npx airbench air --pixels 2                   and two dice of another maker, Pixels
  npx airbench air --strict                     reports the mistakes of your own host
  npx airbench air --strict --report hci.xml --fail-on-violation   the same in CI, as JUnit and by the exit status
  sudo npx airbench air --vhci                  and an adapter of this machine's kernel, for BlueZ and its programs
  npx airbench air --trace air.btsnoop          and a capture of all packets
  npx airbench air --proxies 2                  and two Bluetooth proxies, on ports 6053 and 6054
  npx airbench air --chaos plan.json            and random faults, the same each time
  npx airbench air --adapter hci1 --device dice one die on a real adapter, for a server on another adapter`;

/** `airbench air`: the simulated world alone. */
export const airCommand = (): Command => {
  const command = new Command('air').description(
    'simulate a radio with virtual dice and clocks, and serve a control API',
  );
  for (const option of [...benchOptions(), ...airOptions(), ...originOptions()]) command.addOption(option);
  return withLog(command)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: AirFlags & BenchFlags) => {
      const bench = wantedBench(flags, command);
      await run(
        bench === undefined ? start(flags, await describedWorld(flags, command)) : startBench(bench, flags),
      );
    });
};
