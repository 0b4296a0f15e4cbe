import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdirSync } from 'node:fs';
import { factsOf, KINDS, perKind, type Kind } from '../../src/contract/kinds.js';
import { describeExit } from '../../src/system/system-error.js';
import { IN_ORDER } from '../bench/programs.js';
import { NO_TOKENS } from '../clients/authorization.js';
import { ServerLog } from '../bench/server-log.js';

/** Where the parts of a rig are. */
export interface Rig {
  /** Of the servers. */
  readonly urls: Readonly<Record<Kind, string>>;
  readonly controlUrl: string;
  /** Its virtual radio, as `--hci` takes it. */
  readonly hci: string;
  readonly log: ServerLog;
  readonly close: () => Promise<void>;
}

/** Limits short enough for a scenario to see their end; devices in the fast air answer within milliseconds. */
const LIMITS = {
  'scan-secs': 0.5,
  'connect-timeout': 1.5,
  'discover-timeout': 1.5,
  'gatt-timeout': 2,
  'answer-timeout': 1.5,
  'calibrate-timeout': 0.5,
  'reconnect-secs': 2,
  'rate-limit': 0,
};

/** The folder of reports (cucumber.mjs). */
const REPORTS = process.env['AIRBENCH_REPORTS'] ?? 'reports';

/** Starts `airbench rig` on free ports, with an empty world in the fast air; its capture goes to NAME.btsnoop there. */
export const startRig = async (name: string): Promise<Rig> => {
  mkdirSync(REPORTS, { recursive: true });
  const flags = {
    ...Object.fromEntries(
      KINDS.flatMap((kind) => [
        [factsOf(kind).devices, 0],
        [`${kind}-port`, 0],
      ]),
    ),
    'control-port': 0,
    'hci-port': 0,
    pace: 'fast',
    verbose: 2,
    trace: `${REPORTS}/${name}.btsnoop`,
    ...LIMITS,
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  // By the channel it notices the end of this worker, however that comes, and ends too.
  const rig = fork('dist/src/cli/main.js', ['rig', ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...NO_TOKENS },
  });
  const ended = describeExit(rig);
  let output = '';
  const log = new ServerLog((line) => {
    process.stderr.write(`${line}\n`);
    output += `${line}\n`;
  });
  if (rig.stderr !== null) createInterface({ input: rig.stderr }).on('line', (line) => log.push(line));
  const places = await readyPlaces(rig);
  return {
    ...places,
    log,
    close: async () => {
      if (rig.connected) rig.disconnect();
      const how = await ended;
      if (how !== IN_ORDER) throw new Error(`the rig ${how}`);
      // Such as too many listeners, which node only warns of.
      if (/\w+Warning:/.test(output)) throw new Error(`the rig was warned: ${output}`);
    },
  };
};

type Places = Pick<Rig, 'urls' | 'controlUrl' | 'hci'>;

/** Reads the lines that say where everything is. */
const readyPlaces = async (rig: ChildProcess): Promise<Places> => {
  const places = new Map<string, string>();
  const placeOf = (part: string): string => places.get(part) ?? '';
  const parts = [...KINDS.map((kind) => `${kind} server`), 'control API', 'virtual radio'];
  if (rig.stdout === null) throw new Error('the rig has no output');
  for await (const line of createInterface({ input: rig.stdout })) {
    const [, name, place] = /^([\w ]+?) {2}((?:http|tcp):\S+)/.exec(line) ?? [];
    if (name !== undefined && place !== undefined) places.set(name, place);
    if (parts.every((part) => places.has(part))) {
      rig.stdout.resume();
      return {
        urls: perKind((kind) => placeOf(`${kind} server`)),
        controlUrl: placeOf('control API'),
        hci: placeOf('virtual radio'),
      };
    }
  }
  throw new Error('the rig ended before it was ready');
};
