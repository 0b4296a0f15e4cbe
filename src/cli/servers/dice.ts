import type { Command, Option } from 'commander';
import { flow } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { DEFAULT_LIMITS, type DiceConfig } from '../../dice/config.js';
import { ConnectRequest } from '../../dice/contract.js';
import { keepOptions } from '../options/devices.js';
import { dataOption } from '../options/memory.js';
import { grouped, secondsFlag } from '../options/options.js';
import { simulatorFlag } from '../options/simulator.js';
import { serverCommand } from './server.js';
import type { SimulatorAddress } from '../../dice/simulator.js';
import { DAY, limitFlag, ms, sharedOptions, type ServerFlags } from '../options/server-flags.js';

interface DiceFlags extends ServerFlags {
  readonly scanSecs: number;
  readonly reconnectSecs: number;
  readonly answerTimeout: number;
  readonly calibrateTimeout: number;
  readonly simulator: SimulatorAddress | undefined;
  readonly connect: readonly ConnectRequest[];
  readonly devices: readonly ConnectRequest[];
}

const configOf = (flags: DiceFlags): DiceConfig => ({
  address: flags.address,
  port: flags.port,
  limits: {
    scan: ms(flags.scanSecs),
    reconnect: ms(flags.reconnectSecs),
    answer: ms(flags.answerTimeout),
    calibrate: ms(flags.calibrateTimeout),
  },
  simulator: flags.simulator,
  autoConnect: [...flags.devices, ...flags.connect],
  historyDays: flags.historyDays,
});

const EXAMPLES = `
Examples:
  npx airbench dice                                      dice on this machine's adapter, port 3000
  npx airbench dice --bluez hci1                         on this adapter, which other programs use as well
  npx airbench dice --hci tcp:localhost:6402 --port 0    dice of a virtual radio, on a free port
  npx airbench dice --connect D1:CE:00:00:00:01=d20 -v   keeps one die connected, and logs its events
  npx airbench dice --config dice.yml                    flags from a file`;

/** The time limits of a dice server and the flags of all servers, for `dice` and for `rig`. */
export const diceLimitOptions = (): readonly Option[] =>
  [
    limitFlag('--scan-secs', 'how long a scan listens', DEFAULT_LIMITS.scan),
    secondsFlag(
      '--reconnect-secs <secs>',
      'how long to wait for a lost die to come back',
      { min: 0, max: 7 * DAY },
      DEFAULT_LIMITS.reconnect / 1000,
    ),
    ...sharedOptions(),
    limitFlag('--answer-timeout', "limit for a die's response to a command", DEFAULT_LIMITS.answer),
    limitFlag(
      '--calibrate-timeout',
      'how long calibrate waits for a die to lie still',
      DEFAULT_LIMITS.calibrate,
    ),
  ].map(grouped('Limits'));

const keepable = {
  kind: 'die',
  codec: ConnectRequest,
  form: '{"address", "dice_type"}',
  notation: 'address[=type]',
  read: (input: string): unknown => {
    const [address, dice_type] = input.split('=', 2);
    return dice_type === undefined ? { address } : { address, dice_type };
  },
};

export const diceCommand = (): Command =>
  serverCommand({
    name: 'dice',
    description: 'serve dice over REST and WebSocket',
    examples: EXAMPLES,
    options: [...keepOptions(keepable), simulatorFlag(), dataOption(), ...diceLimitOptions()],
    configOf,
    load: async () => {
      const [{ startDiceServer }, { listenMessage }] = await Promise.all([
        import('../../dice/server.js'),
        import('../../http/index.js'),
      ]);
      return flow(startDiceServer, TE.mapLeft(listenMessage));
    },
  });
