/** A server on a Bluetooth adapter, whichever it is. */
import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { HciSpec } from '../ble/hci/spec.js';
import { openRadio } from '../ble/noble/index.js';
import type { Radio } from '../ble/ports.js';
import { deviceSentence, type Protection } from '../http/index.js';
import { measuredRadio, openProcessMetrics, type Metrics } from '../metrics/index.js';
import { systemClock, type Clock } from '../time.js';
import { NO_FLEET, openFleet, type Fleet, type FleetContext } from '../mqtt/index.js';
import { withConfig } from './config-file.js';
import { openLog } from './log.js';
import { fleetOptionsOf, mqttOptions, type MqttFlags } from './mqtt.js';
import { hciFlag, portFlag, secondsFlag, switchFlag, textFlag, verboseFlag } from './options.js';
import {
  openAccess,
  protectionOf,
  protectionOptions,
  warnIfOpen,
  type ProtectionFlags,
} from './protection.js';
import { healthUrl, readyLine, run, type Running } from './run.js';

export interface ServerFlags extends ProtectionFlags, MqttFlags {
  readonly address: string;
  readonly port: number;
  readonly verbose: number;
  readonly hci: HciSpec;
  readonly connectTimeout: number;
  readonly discoverTimeout: number;
  readonly gattTimeout: number;
  readonly mdns: boolean;
}

/** Seconds that anything may take. */
export const TIMEOUT = { min: 0.1, max: 600 };
/** Seconds. */
export const DAY = 86_400;

const REMEDY = 'see --token-file and AIRBENCH_TOKEN';

export const ms = (secs: number): number => secs * 1000;

/** What every server is started with. */
export interface Context {
  readonly radio: Radio;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly protection: Protection;
  readonly fleet: Fleet;
}

/** A server that is up. */
export interface Started {
  readonly port: number;
  readonly close: Task<void>;
}

/** `F`: its flags, `C`: its configuration, `W`: why it may not start. */
export interface ServerProgram<F extends ServerFlags, C, W> {
  /** `dice`: the command, and the first half of `dice server`. */
  readonly name: FleetContext['kind'];
  readonly description: string;
  readonly examples: string;
  /** Beside those that every server has. */
  readonly options: readonly Option[];
  readonly configOf: (flags: F) => C;
  readonly start: (options: Context & { readonly config: C }) => TE.TaskEither<W, Started>;
  readonly sentence: (why: W) => string;
}

/** The flags that every server has. */
const commonOptions = (): readonly Option[] => [
  textFlag('--address <address>', 'address to listen on', '0.0.0.0'),
  portFlag('--port <number>', 'port to listen on; 0 takes a free one', 3000),
  verboseFlag(),
  hciFlag(),
];

/** The command that runs a server until it is stopped. */
export const serverCommand = <F extends ServerFlags, C, W>(program: ServerProgram<F, C, W>): Command => {
  const { name, description, examples, options } = program;
  const command = new Command(name).description(description);
  for (const option of [...commonOptions(), ...options]) command.addOption(option);
  return withConfig(command)
    .addHelpText('after', examples)
    .action((flags: F) => run(startOnRadio(program, flags)));
};

/** What every server can be told, by the rig too: how long the radio's work may take, and who may use it. */
export const sharedOptions = (): readonly Option[] => [
  secondsFlag('--connect-timeout <secs>', 'one connection attempt', TIMEOUT, 10),
  secondsFlag('--discover-timeout <secs>', 'discovery, and each subscription', TIMEOUT, 10),
  secondsFlag('--gatt-timeout <secs>', 'one read or write', TIMEOUT, 5),
  ...protectionOptions(),
  ...mqttOptions(),
  switchFlag('--mdns', 'announce the server on its network, as _airbench._tcp'),
];

/** The log of a server says when its adapter was away. */
const logState = (radio: Radio, log: Logger): void =>
  void radio.onState((state) =>
    log[state === 'poweredOn' ? 'info' : 'warn'](`the Bluetooth adapter is ${state}`),
  );

/** Opens the adapter and starts a server on it. Left is a sentence. */
const startOnRadio = <F extends ServerFlags, C, W>(
  { name, configOf, start, sentence: sentenceOf }: ServerProgram<F, C, W>,
  flags: F,
): TE.TaskEither<string, Running> => {
  const log = openLog(`${name} server`, flags.verbose);
  const metrics = openProcessMetrics(name);
  const clock = systemClock;
  const opened = openAccess({ variable: 'AIRBENCH_TOKEN', file: flags.tokenFile }, log);
  if (E.isLeft(opened)) return TE.left(opened.left);
  const { access, close: closeAccess } = opened.right;
  const broker = fleetOptionsOf(flags);
  if (E.isLeft(broker)) return TE.left(broker.left);
  const openOwnFleet = (): Fleet =>
    broker.right === undefined ? NO_FLEET : openFleet(broker.right, { kind: name, clock, log, metrics });
  /** The task says goodbye. */
  const announced = async (port: number): Promise<Task<void>> => {
    if (!flags.mdns) return () => Promise.resolve();
    const { announce } = await import('./mdns.js');
    const needsToken = access.required;
    return announce({ kind: name, name: flags.name, address: flags.address, port, needsToken }, log);
  };
  return pipe(
    openRadio({
      hci: flags.hci,
      limits: {
        connect: ms(flags.connectTimeout),
        discover: ms(flags.discoverTimeout),
        gatt: ms(flags.gattTimeout),
      },
      warn: (message, error) => log.warn({ err: error }, message),
    }),
    TE.mapLeft(deviceSentence),
    TE.chainFirstIOK((radio) => () => logState(radio, log)),
    TE.chain((radio) => {
      const fleet = openOwnFleet();
      return pipe(
        start({
          radio: measuredRadio(radio, metrics, clock),
          log,
          clock,
          metrics,
          protection: protectionOf(flags, access),
          fleet,
          config: configOf(flags),
        }),
        TE.mapLeft(sentenceOf),
        TE.chainFirstIOK(() => () => warnIfOpen(flags.address, access, REMEDY, log)),
        TE.bind('silence', ({ port }) => TE.fromTask(() => announced(port))),
        TE.map(({ port, close, silence }) => ({
          ready: readyLine(`${name} server`, flags.address, port),
          port,
          health: healthUrl(flags.address, port),
          close: async () => {
            await silence();
            await close();
            await fleet.close();
            closeAccess();
            await radio.close();
          },
        })),
        TE.orElse((why) => async () => {
          await fleet.close();
          await radio.close();
          return E.left(why);
        }),
      );
    }),
  );
};
