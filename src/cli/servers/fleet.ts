/** `airbench fleet`: the servers on a broker, their devices, and who hears what. */
import { isIP } from 'node:net';
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { observe, type FleetReport } from '../../mqtt/observer.js';
import { printable } from '../../system/printable.js';
import { systemTime } from '../../async/time.js';
import { writeLine } from '../output/log.js';
import { brokerOptions, fleetOptionsOf, type MqttFlags } from '../options/mqtt.js';
import type { FoundServer } from './mdns.js';
import { flag, secondsFlag, switchFlag } from '../options/options.js';
import { jsonLines, printLines } from '../output/print.js';
import { refuse } from '../options/usage.js';

interface FleetFlags extends Omit<MqttFlags, 'name' | 'roam'> {
  readonly json: boolean;
  readonly listenSecs: number;
  /** An address of the interface to look on; empty: all. */
  readonly discover: string | undefined;
}

/** Between two pictures on a terminal, ms. */
const PICTURE_MS = 250;
const HOME_AND_CLEAR = '\u001b[H\u001b[J';

/** Names come from the network. */
const table = (texts: readonly (readonly string[])[]): readonly string[] => {
  const rows = texts.map((row) => row.map(printable));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

export const fleetTable = ({ servers, devices }: FleetReport): readonly string[] => [
  ...table([['SERVER', 'KIND', 'STATUS'], ...servers.map(({ name, kind, status }) => [name, kind, status])]),
  '',
  ...table([
    ['DEVICE', 'KIND', 'OWNER', 'AVAILABILITY', 'HEARD BY, dBm'],
    ...devices.map(({ address, kind, owner, availability, heard }) => [
      ...[address, kind, owner ?? '-', availability],
      heard.map(({ server, rssi }) => `${server} ${rssi}`).join(', '),
    ]),
  ]),
];

const fail = (message: string): void => {
  writeLine(message);
  process.exitCode = 1;
};

const serverTable = (servers: readonly FoundServer[]): readonly string[] =>
  table([
    ['SERVER', 'KIND', 'URL', 'VERSION', 'TOKEN'],
    ...servers.map(({ needsToken, ...server }) => [
      ...[server.name, server.kind, server.url, server.version],
      needsToken ? 'needed' : '-',
    ]),
  ]);

const showDiscovered = async ({ json, listenSecs }: FleetFlags, address: string): Promise<void> => {
  const { discover } = await import('./mdns.js');
  const servers = await discover(systemTime, listenSecs * 1000, address === '' ? undefined : address)();
  if (json) printLines(jsonLines({ servers }));
  else printLines(serverTable(servers));
};

const look = async (flags: FleetFlags, command: Command): Promise<void> => {
  const { discover, mqtt } = flags;
  if (discover !== undefined && mqtt !== undefined)
    return refuse(command, "options '--discover' and '--mqtt <url>' cannot be used together");
  if (discover !== undefined) return showDiscovered(flags, discover);
  const read = fleetOptionsOf({ ...flags, name: '', roam: false });
  if (E.isLeft(read)) {
    fail(read.left);
    return;
  }
  if (read.right === undefined) return refuse(command, "option '--mqtt <url>' or '--discover' is missing");
  const isLive = process.stdout.isTTY && !flags.json;
  let cancel: (() => void) | undefined;
  const changed = (): void => {
    if (isLive) cancel ??= systemTime.after(PICTURE_MS, draw);
  };
  const observer = await observe({ ...read.right, time: systemTime, changed })();
  if (E.isLeft(observer)) {
    fail(observer.left);
    return;
  }
  const { report, lost, close } = observer.right;
  const stopped = new Promise<'stopped'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('stopped'));
  });
  const draw = (): void => {
    cancel = undefined;
    process.stdout.write(HOME_AND_CLEAR);
    printLines(fleetTable(report()));
    // Devices that are not heard any more go, though no message comes.
    cancel = systemTime.after(PICTURE_MS * 4, draw);
  };
  if (isLive) draw();
  let cancelOnce: (() => void) | undefined;
  const once = new Promise<'once'>((resolve) => {
    if (!isLive) cancelOnce = systemTime.after(flags.listenSecs * 1000, () => resolve('once'));
  });
  const end = await Promise.race([stopped, once, lost.then(() => 'lost' as const)]);
  cancel?.();
  cancelOnce?.();
  await close();
  if (end === 'stopped') return;
  if (end === 'lost') {
    fail(`the connection to the MQTT broker ${read.right.url.host} is lost`);
    return;
  }
  if (flags.json) printLines(jsonLines(report()));
  else printLines(fleetTable(report()));
};

export const fleetCommand = (): Command => {
  const command = new Command('fleet').description(
    'show the servers and devices on an MQTT broker, or the servers on this network',
  );
  for (const option of brokerOptions()) command.addOption(option);
  return command
    .addOption(
      flag<string | undefined>(
        '--discover [address]',
        'show the servers that announce themselves by mDNS, on the interface with this address or on all',
        (given) => (given === '' || isIP(given) !== 0 ? E.right(given) : E.left('it must be an IP address')),
        undefined,
      ).preset(''),
    )
    .addOption(switchFlag('--json', 'print once as JSON'))
    .addOption(
      secondsFlag(
        '--listen-secs <secs>',
        'how long to listen before the output, with --json or without a terminal',
        { min: 0.1, max: 600 },
        2,
      ),
    )
    .action(look);
};
