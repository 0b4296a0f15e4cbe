import { mkdirSync } from 'node:fs';
import { world, type World } from '../../simulators/testing/index.js';
import { messageOf } from '../../src/system/system-error.js';
import { CannotRun } from '../bench/cannot-run.js';
import { ServerLog } from '../bench/server-log.js';

export interface Rig extends World {
  readonly log: ServerLog;
}

/** Limits that end within a scenario. Devices in the fast air answer within milliseconds. */
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

/** Starts an empty world in the fast air; its capture goes to NAME.btsnoop in the folder `reports`. Rejects with `CannotRun`. */
export const startRig = async (
  reports: string,
  name: string,
  flags: Readonly<Record<string, number>> = {},
): Promise<Rig> => {
  mkdirSync(reports, { recursive: true });
  let output = '';
  let write = (line: string): void => void (output += `${line}\n`);
  const log = new ServerLog((line) => write(line));
  const simulation = await world({
    trace: `${reports}/${name}.btsnoop`,
    flags: { verbose: 2, ...LIMITS, ...flags },
    onLog: (line) => log.push(line),
  }).catch((error: unknown) => {
    throw new CannotRun(`the rig did not start: ${output.trim() || messageOf(error)}`);
  });
  process.stderr.write(output);
  write = (line) => {
    process.stderr.write(`${line}\n`);
    output += `${line}\n`;
  };
  return {
    ...simulation,
    log,
    close: async () => {
      await simulation.close();
      // For instance too many listeners, of which Node.js only warns.
      if (/\w+Warning:/.test(output)) throw new Error(`the rig was warned: ${output}`);
    },
  };
};
