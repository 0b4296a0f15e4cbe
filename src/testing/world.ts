import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { KINDS, perKind, type Kind } from '../contract/kinds.js';
import { describeExit } from '../system/system-error.js';
import { AIRBENCH } from '../system/package.js';
import { Api, Control } from './api.js';

export interface WorldOptions {
  /** How many GoDice; 0 if left out, as the next two. */
  readonly dice?: number;
  /** How many Pixels dice. */
  readonly pixels?: number;
  /** How many CGD1 clocks. */
  readonly clocks?: number;
  /** More devices, each as `POST /devices` of the control API takes it. */
  readonly devices?: readonly object[];
  /** `fast`, the default: packets take no time on the air. */
  readonly pace?: 'fast' | 'real';
  /** A btsnoop file for all packets, which Wireshark opens. */
  readonly trace?: string;
  /** More flags of `airbench rig` (`airbench rig --help`) without their dashes, such as `{"scan-secs": 0.5}`. */
  readonly flags?: Readonly<Record<string, string | number>>;
  /** Receives the log line by line; by default only a world that fails shows it. */
  readonly onLog?: (line: string) => void;
}

/** A simulated world: a radio with virtual devices, and servers on it, all on free ports of this machine. */
export interface World {
  /** The radio for hosts of your own: `--hci` of the servers, or `tcp:HOST:PORT` as Bumble and others call it. */
  readonly hci: string;
  /** The dice server. */
  readonly dice: Api;
  /** The clock server. */
  readonly clock: Api;
  readonly control: Control;
  /** Ends it; resolves when nothing of it is left. Rejects if it had not ended in order. */
  readonly close: () => Promise<void>;
  /** The same, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Flags that are environment variables too would change what a test asks for. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AIRBENCH_')));

const IN_ORDER = 'ended with status 0';

/** Lines of the log that the message of a failure has. */
const MOST_LINES = 50;

/** Reads the lines that say where everything is; undefined if the output ends before. */
const readPlaces = async (stdout: Readable): Promise<ReadonlyMap<string, string> | undefined> => {
  const places = new Map<string, string>();
  const parts = [...KINDS.map((kind) => `${kind} server`), 'control API', 'virtual radio'];
  for await (const line of createInterface({ input: stdout })) {
    const [, name, place] = /^([\w ]+?) {2}((?:http|tcp):\S+)/.exec(line) ?? [];
    if (name !== undefined && place !== undefined) places.set(name, place);
    if (!parts.every((part) => places.has(part))) continue;
    stdout.resume();
    return places;
  }
  return undefined;
};

/** Starts a world; it ends with this process at the latest. Rejects with what it said if it does not start. */
export const world = async ({
  dice = 0,
  pixels = 0,
  clocks = 0,
  devices = [],
  pace = 'fast',
  trace,
  flags = {},
  onLog = () => undefined,
}: WorldOptions = {}): Promise<World> => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-world-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  const described = join(folder, 'devices.json');
  writeFileSync(described, JSON.stringify(devices));
  const all = {
    ...{ dice, pixels, clocks, pace, devices: described, address: '127.0.0.1' },
    ...{ 'control-port': 0, 'hci-port': 0 },
    ...Object.fromEntries(KINDS.map((kind) => [`${kind}-port`, 0])),
    ...(trace !== undefined && { trace }),
    ...flags,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
  // Its stdin ends with this process, however that ends.
  const rig = spawn(process.execPath, [AIRBENCH, 'rig', '--end-with-stdin', ...args], {
    stdio: 'pipe',
    env: environment(),
  });
  const lines: string[] = [];
  const ended = describeExit(rig).finally(removeFolder);
  createInterface({ input: rig.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > MOST_LINES) lines.shift();
    onLog(line);
  });
  const places = await readPlaces(rig.stdout);
  if (places === undefined) throw new Error(`airbench rig ${await ended}: ${lines.join('\n')}`);
  const placeOf = (part: string): string => places.get(part) ?? '';
  const servers = perKind((kind: Kind) => new Api(placeOf(`${kind} server`)));
  const close = async (): Promise<void> => {
    rig.stdin.end();
    const how = await ended;
    if (how !== IN_ORDER) throw new Error(`airbench rig ${how}: ${lines.join('\n')}`);
  };
  return {
    ...servers,
    hci: placeOf('virtual radio'),
    control: new Control(placeOf('control API')),
    close,
    [Symbol.asyncDispose]: close,
  };
};
