import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { HciSpec } from '../ble/hci/spec.js';
import { openRadio } from '../ble/noble/index.js';
import { DEFAULT_LIMITS, startDiceServer } from '../dice/index.js';
import type { ConnectRequest } from '../dice/contract.js';
import { errorReply, listenSentence, radioError } from '../http/index.js';
import { systemClock } from '../time.js';
import { readConnect, readDevicesFile } from './devices.js';
import { openLog } from './log.js';
import { flag, hciFlag, portFlag, secondsFlag, textFlag, verboseFlag } from './options.js';
import { readyLine, run, type Running } from './run.js';

interface DiceFlags {
  readonly address: string;
  readonly port: number;
  readonly verbose: number;
  readonly hci: HciSpec;
  readonly scanSecs: number;
  readonly reconnectSecs: number;
  readonly connectTimeout: number;
  readonly discoverTimeout: number;
  readonly gattTimeout: number;
  readonly answerTimeout: number;
  readonly calibrateTimeout: number;
  readonly connect: readonly ConnectRequest[];
  readonly devices: readonly ConnectRequest[];
}

const TIMEOUT = { min: 0.1, max: 600 };
const DAY = 86_400;

const ms = (secs: number): number => secs * 1000;

const start = (flags: DiceFlags): TE.TaskEither<string, Running> => {
  const log = openLog(flags.verbose);
  const { address } = flags;
  return pipe(
    openRadio({
      hci: flags.hci,
      limits: {
        connect: ms(flags.connectTimeout),
        discover: ms(flags.discoverTimeout),
        gatt: ms(flags.gattTimeout),
      },
      complain: (message, error) => log.warn({ err: error }, message),
    }),
    TE.mapLeft((error) => errorReply(radioError(error)).body.error),
    TE.chain((radio) =>
      pipe(
        startDiceServer({
          radio,
          config: {
            address,
            port: flags.port,
            limits: {
              scan: ms(flags.scanSecs),
              reconnect: ms(flags.reconnectSecs),
              answer: ms(flags.answerTimeout),
              calibrate: ms(flags.calibrateTimeout),
            },
            kept: [...flags.devices, ...flags.connect],
          },
          log,
          clock: systemClock,
        }),
        TE.map(({ port, close }) => ({
          ready: readyLine('dice server', address, port),
          port,
          close: async () => {
            await close();
            await radio.close();
          },
        })),
        TE.orElse((error) => async () => {
          await radio.close();
          return E.left(listenSentence(error));
        }),
      ),
    ),
  );
};

const EXAMPLES = `
Examples:
  airbench dice                                      dice on this machine's adapter, port 3000
  airbench dice --hci tcp:localhost:6402 --port 0    dice of a virtual radio, on a free port
  airbench dice --connect D1:CE:00:00:00:01=d20 -v   keeps one die connected, and says what happens`;

/** How long each thing may take, for `dice` and for `rig`. */
export const diceLimitOptions = (): readonly Option[] => [
  secondsFlag('--scan-secs <secs>', 'how long a scan listens', TIMEOUT, DEFAULT_LIMITS.scan / 1000),
  secondsFlag(
    '--reconnect-secs <secs>',
    'how long a lost die may take to come back',
    { min: 0, max: 7 * DAY },
    DEFAULT_LIMITS.reconnect / 1000,
  ),
  secondsFlag('--connect-timeout <secs>', 'one connection attempt', TIMEOUT, 10),
  secondsFlag('--discover-timeout <secs>', 'discovery, and each subscription', TIMEOUT, 10),
  secondsFlag('--gatt-timeout <secs>', 'one read or write', TIMEOUT, 5),
  secondsFlag(
    '--answer-timeout <secs>',
    "a die's answer to a command",
    TIMEOUT,
    DEFAULT_LIMITS.answer / 1000,
  ),
  secondsFlag(
    '--calibrate-timeout <secs>',
    'how long calibrate waits for a die to lie still',
    TIMEOUT,
    DEFAULT_LIMITS.calibrate / 1000,
  ),
];

/** `airbench dice`: the dice server. */
export const diceCommand = (): Command => {
  const command = new Command('dice')
    .description('serve dice over REST and WebSocket')
    .addOption(textFlag('--address <address>', 'address to listen on', '0.0.0.0'))
    .addOption(portFlag('--port <number>', 'port to listen on; 0 takes a free one', 3000))
    .addOption(verboseFlag())
    .addOption(hciFlag());
  for (const option of diceLimitOptions()) command.addOption(option);
  return command
    .addOption(
      flag<readonly ConnectRequest[]>(
        '--connect <address[=type]>',
        'connect this die at start and keep it; repeatable',
        readConnect,
        [],
        'none',
      ),
    )
    .addOption(
      flag<readonly ConnectRequest[]>(
        '--devices <file>',
        'the same for all dice of a JSON file: [{"address", "dice_type"}]',
        readDevicesFile,
        [],
        'none',
      ),
    )
    .addHelpText('after', EXAMPLES)
    .action((flags: DiceFlags) => run(start(flags)));
};
