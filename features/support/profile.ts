import { startRig } from './rig.js';
import type { ServerLog } from './server-log.js';

/** Where the servers under test and the devices' control API are. */
export interface Bench {
  readonly diceUrl: string;
  readonly clockUrl: string;
  readonly controlUrl: string;
  /** What the servers log, if they were started for the features. */
  readonly log?: ServerLog;
  /** Ends what was started for the features; servers that were up before stay up. */
  readonly close: () => Promise<void>;
}

const profiles: Readonly<Record<string, () => Promise<Bench>>> = {
  simulated: () => startRig(`features-${process.env['CUCUMBER_WORKER_ID'] ?? '0'}`),
  attach: () =>
    Promise.resolve({
      diceUrl: required('DICE_URL', 'http://localhost:3000'),
      clockUrl: required('CLOCK_URL', 'http://localhost:3001'),
      controlUrl: required('CONTROL_URL', 'http://localhost:3100'),
      close: () => Promise.resolve(),
    }),
};

const required = (name: string, example: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`the profile attach needs ${name}, such as ${example}`);
  return value.replace(/\/$/, '');
};

export const openBench = (profile: string): Promise<Bench> => {
  const open = profiles[profile];
  if (open === undefined) {
    throw new Error(
      `profile must be one of ${Object.keys(profiles).join(', ')}, got ${JSON.stringify(profile)}`,
    );
  }
  return open();
};
