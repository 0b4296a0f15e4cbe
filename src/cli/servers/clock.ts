import type { Command, Option } from 'commander';
import { flow } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { deviceAddress, object } from '../../codecs/index.js';
import { DEFAULT_LIMITS, type ClockConfig } from '../../clock/config.js';
import { keepOptions } from '../options/devices.js';
import { dataOption } from '../options/memory.js';
import { flag, grouped, readSeconds, secondsFlag } from '../options/options.js';
import { serverCommand } from './server.js';
import { DAY, limitFlag, ms, sharedOptions, type ServerFlags } from '../options/server-flags.js';

interface Addressed {
  readonly address: string;
}

interface ClockFlags extends ServerFlags {
  readonly scanSecs: number;
  /** Null: for ever. */
  readonly reconnectSecs: number | null;
  readonly answerTimeout: number;
  /** 0: never. */
  readonly idleDisconnectSecs: number;
  readonly connect: readonly Addressed[];
  readonly devices: readonly Addressed[];
}

const configOf = (flags: ClockFlags): ClockConfig => ({
  address: flags.address,
  port: flags.port,
  dataFolder: flags.dataDir,
  limits: {
    ...DEFAULT_LIMITS,
    find: ms(flags.scanSecs),
    answer: ms(flags.answerTimeout),
    reconnect: flags.reconnectSecs === null ? null : ms(flags.reconnectSecs),
    idle: flags.idleDisconnectSecs === 0 ? null : ms(flags.idleDisconnectSecs),
  },
  historyDays: flags.historyDays,
  autoConnect: [...flags.devices, ...flags.connect].map(({ address }) => address),
});

const EXAMPLES = `
Examples:
  npx airbench clock                                     clocks on this machine's adapter, port 3000
  npx airbench clock --bluez hci1                        on this adapter, which other programs use as well
  npx airbench clock --hci tcp:localhost:6402 --port 0   clocks of a virtual radio, on a free port
  npx airbench clock --connect 58:2D:34:00:00:01 -v      keeps one clock connected, and logs its events
  npx airbench clock --idle-disconnect-secs 120          spares the batteries
  npx airbench clock --config clock.yml                  flags from a file`;

/** The time limits of a clock server and the flags of all servers, for `clock` and for `rig`. */
export const clockLimitOptions = (): readonly Option[] =>
  [
    limitFlag(
      '--scan-secs',
      'how long to search for a clock that has not advertised yet',
      DEFAULT_LIMITS.find,
    ),
    flag<number | null>(
      '--reconnect-secs <secs>',
      'how long to wait for a lost clock to come back',
      readSeconds({ min: 0, max: 7 * DAY }),
      DEFAULT_LIMITS.reconnect,
      'for ever',
    ),
    ...sharedOptions(),
    limitFlag('--answer-timeout', "limit for a clock's response to a command", DEFAULT_LIMITS.answer),
    secondsFlag(
      '--idle-disconnect-secs <secs>',
      'disconnect a clock after this time without a command, until the next command; 0: never',
      { min: 0, max: 7 * DAY },
      0,
    ),
  ].map(grouped('Limits'));

const keepable = {
  kind: 'clock',
  codec: object({ address: deviceAddress }),
  form: '{"address"}',
  notation: 'address',
  read: (address: string): unknown => ({ address }),
};

export const clockCommand = (): Command =>
  serverCommand({
    name: 'clock',
    description: 'serve clocks over WebSocket and REST',
    examples: EXAMPLES,
    options: [...keepOptions(keepable), dataOption(), ...clockLimitOptions()],
    configOf,
    load: async () => {
      const { startClockServer, startMessage } = await import('../../clock/server.js');
      return flow(startClockServer, TE.mapLeft(startMessage));
    },
  });
