/** `airbench fleet`: the servers on a broker, their devices, and the servers that hear each device. */
import { isIP } from 'node:net';
import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { deviceAddress } from '../../codecs/index.js';
import type { BrokerOptions } from '../../mqtt/broker-options.js';
import type { Forgotten } from '../../mqtt/forget.js';
import type { FleetOptions } from '../../mqtt/index.js';
import { MOST_SEEN, MOST_SERVERS } from '../../mqtt/bounded.js';
import { REPEAT_MS } from '../../mqtt/hearing.js';
import type { FleetReport, Observer, ObserverOptions } from '../../mqtt/observer.js';
import { systemTime, type Cancel } from '../../async/time.js';
import { fail, writeLine } from '../output/log.js';
import {
  brokerOptions,
  fleetOptionsOf,
  HOME_ASSISTANT,
  homeAssistantOption,
  type MqttFlags,
} from '../options/mqtt.js';
import { fleetView, matching, table } from './fleet-view.js';
import { missingPackage } from '../../system/packages.js';
import type { FoundServer } from './mdns.js';
import { flag, grouped, secondsFlag, switchFlag } from '../options/options.js';
import { jsonLines, printLines } from '../output/print.js';
import { during, openProgress, secondsLeft } from '../output/progress.js';
import { onStopRequest } from '../process/stop.js';
import { refuse } from '../options/usage.js';

interface FleetFlags extends Omit<MqttFlags, 'name'> {
  readonly json: boolean;
  readonly listenSecs: number;
  readonly servers: boolean;
  /** The address of a device, or the name of a server. */
  readonly forget: string | undefined;
  /** Shows only servers and devices with this text. */
  readonly match: string | undefined;
  /** An address of the interface to look on; empty: all. */
  readonly discover: string | undefined;
}

/** The time between two updates of the terminal, ms. */
const PICTURE_MS = 500;
/** The time in which each server reports all devices in its range at least once, ms. */
const WHOLE_MS = REPEAT_MS + 2_000;
/** The default time for answers by mDNS, ms. */
const DISCOVER_MS = 2_000;
/** The time for the broker to send all retained messages, ms. */
const RETAINED_MS = 2_000;
const OF_A_BROKER = ['mqtt', 'forget', 'homeAssistant', 'servers', 'match'] satisfies (keyof FleetFlags)[];
const HOME_AND_CLEAR = '\u001b[H\u001b[J';

const serverTable = (servers: readonly FoundServer[]): readonly string[] =>
  table([
    ['SERVER', 'KIND', 'URL', 'VERSION', 'TOKEN'],
    ...servers.map(({ needsToken, ...server }) => [
      ...[server.name, server.kind, server.url, server.version],
      needsToken ? 'needed' : '-',
    ]),
  ]);

const showDiscovered = async (
  { json, listenSecs }: FleetFlags,
  address: string,
  isDefault: boolean,
): Promise<void> => {
  const missing = missingPackage('bonjour-service');
  if (missing !== undefined) {
    fail(`--discover: ${missing}`);
    return;
  }
  const { discover } = await import('./mdns.js');
  const ms = isDefault ? DISCOVER_MS : listenSecs * 1000;
  const servers = await during(
    (seconds) => `listening for servers: ${secondsLeft(ms / 1000, seconds)}`,
    discover({ time: systemTime, ms, address: address === '' ? undefined : address }),
  );
  if (json) printLines(jsonLines({ servers }));
  else printLines(serverTable(servers));
};

/** Removes the retained messages of a device or a server from the broker, and prints their topics. */
const clear = async (target: string, options: FleetOptions): Promise<void> => {
  const forgotten = pipe(
    deviceAddress.decode(target),
    E.match(
      (): Forgotten => ({ server: target }),
      (device): Forgotten => ({ device }),
    ),
  );
  const { homeAssistant = HOME_ASSISTANT } = options;
  const { forget } = await import('../../mqtt/forget.js');
  const cleared = await during(
    `looking for retained messages of ${target} on the MQTT broker`,
    forget(forgotten, { ...options, homeAssistant, time: systemTime, listenMs: RETAINED_MS }),
  );
  if (E.isLeft(cleared)) fail(cleared.left);
  else printLines(cleared.right.map((topic) => `cleared ${topic}`));
};

const showFleet = async (flags: FleetFlags, command: Command): Promise<void> => {
  const { discover } = flags;
  if (discover !== undefined)
    return showDiscovered(flags, discover, command.getOptionValueSource('listenSecs') === 'default');
  const read = fleetOptionsOf({ ...flags, name: '' });
  if (E.isLeft(read)) {
    fail(read.left);
    return;
  }
  if (read.right === undefined) return refuse(command, "option '--mqtt <url>' or '--discover' is missing");
  if (flags.forget !== undefined) return clear(flags.forget, read.right);
  const watch = process.stdout.isTTY && !flags.json ? showLive : showOnce;
  await watch(flags, { ...read.right, time: systemTime });
};

const stopped = (): Promise<void> =>
  new Promise((resolve) => {
    onStopRequest(resolve);
  });

const reportOf = ({ report }: Observer, { match }: FleetFlags): FleetReport =>
  match === undefined ? report() : matching(report(), match);

const lostMessage = ({ url: { host } }: BrokerOptions): string =>
  `the connection to the MQTT broker ${host} is lost`;

const connect = (options: ObserverOptions): Promise<E.Either<string, Observer>> =>
  during(`connecting to the MQTT broker ${options.url.host}`, async () => {
    const { observe } = await import('../../mqtt/observer.js');
    return observe(options)();
  });

/** Shows the fleet until Ctrl-C, and connects again after losses of the connection. */
const showLive = async (flags: FleetFlags, options: ObserverOptions): Promise<void> => {
  const observer = await connect(options);
  if (E.isLeft(observer)) {
    fail(observer.left);
    return;
  }
  let cancel: Cancel = () => undefined;
  const draw = (): void => {
    const { columns, rows } = process.stdout;
    const note = observer.right.connectedAt() === null ? [`${lostMessage(options)}: connecting again`] : [];
    const view = fleetView(reportOf(observer.right, flags), {
      // Some terminals do not report their size.
      ...{ columns: columns || Infinity, rows: (rows || Infinity) - note.length, ofServers: flags.servers },
    });
    process.stdout.write(HOME_AND_CLEAR);
    printLines([...note, ...view]);
    cancel = systemTime.after(PICTURE_MS, draw);
  };
  draw();
  await stopped();
  cancel();
  await observer.right.close();
};

/** Listens, then prints the fleet. */
const showOnce = async (flags: FleetFlags, options: ObserverOptions): Promise<void> => {
  const { listenSecs, json, servers } = flags;
  const observer = await connect(options);
  if (E.isLeft(observer)) {
    fail(observer.left);
    return;
  }
  const progress = openProgress(systemTime);
  progress.step((seconds) => `listening to the MQTT broker: ${secondsLeft(listenSecs, seconds)}`);
  let cancel: Cancel = () => undefined;
  const listened = new Promise<'listened'>((resolve) => {
    cancel = systemTime.after(listenSecs * 1000, () => resolve('listened'));
  });
  const end = await Promise.race([listened, stopped()]);
  cancel();
  progress.end();
  const at = observer.right.connectedAt();
  const { fits, ...report } = reportOf(observer.right, flags);
  const isWhole = at !== null && systemTime.now() - at >= WHOLE_MS;
  const complete = isWhole && fits;
  await observer.right.close();
  if (end !== 'listened') return;
  if (at === null) fail(lostMessage(options));
  else if (json) printLines(jsonLines({ ...report, complete }));
  else printLines(fleetView({ ...report, fits }, { columns: Infinity, rows: Infinity, ofServers: servers }));
  if (at !== null && !isWhole)
    writeLine(`devices may be missing: servers report every ${REPEAT_MS / 1000} s which devices they hear`);
  if (!fits)
    writeLine(
      `servers or devices are missing: at most ${MOST_SERVERS} servers and ${MOST_SEEN} devices are shown`,
    );
};

const outputOptions = (): readonly Option[] =>
  [
    flag<string | undefined>(
      '--discover [address]',
      'show the servers that announce themselves by mDNS, on the interface with this address or on all',
      (input) => (input === '' || isIP(input) !== 0 ? E.right(input) : E.left('it must be an IP address')),
      undefined,
    )
      .preset('')
      .conflicts([...OF_A_BROKER]),
    switchFlag('--servers', 'show the servers, not the devices'),
    flag<string | undefined>(
      '--match <text>',
      'show only servers and devices with this text: in an address, a name, a kind or a state',
      (input) => E.right(input),
      undefined,
    ),
    switchFlag('--json', 'print once as JSON'),
    secondsFlag(
      '--listen-secs <secs>',
      `how long to listen before the output, with --json or without a terminal; ${DISCOVER_MS / 1000} with --discover`,
      { min: 0.1, max: 600 },
      WHOLE_MS / 1000,
    ),
  ].map(grouped('Output'));

const forgetOptions = (): readonly Option[] =>
  [
    flag<string | undefined>(
      '--forget <device or server>',
      'remove a device or a server that never comes back from the broker, and from Home Assistant',
      (input) => (input === '' ? E.left('it must be an address or a name') : E.right(input)),
      undefined,
    ),
    homeAssistantOption('the discovery prefix of Home Assistant, for --forget', undefined),
  ].map(grouped('MQTT'));

export const fleetCommand = (): Command => {
  const command = new Command('fleet').description(
    'show the servers and devices on an MQTT broker, or the servers on this network',
  );
  for (const option of [...brokerOptions(), ...forgetOptions(), ...outputOptions()])
    command.addOption(option);
  return command.action(showFleet);
};
