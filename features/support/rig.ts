import { mkdirSync } from 'node:fs';
import { world, type World } from '../../simulators/testing/index.js';
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

/** Starts an empty world in the fast air; its capture goes to NAME.btsnoop in the folder `reports`. */
export const startRig = async (
  reports: string,
  name: string,
  flags: Readonly<Record<string, number>> = {},
): Promise<Rig> => {
  mkdirSync(reports, { recursive: true });
  let output = '';
  const log = new ServerLog((line) => {
    process.stderr.write(`${line}\n`);
    output += `${line}\n`;
  });
  const simulation = await world({
    trace: `${reports}/${name}.btsnoop`,
    flags: { verbose: 2, ...LIMITS, ...flags },
    onLog: (line) => log.push(line),
  });
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
