import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { Radio } from '../../ble/ports.js';
import type { Protection } from '../../http/index.js';
import type { Pages } from '../../contract/index.js';
import { measuredRadio } from '../../metrics/radio.js';
import { openProcessMetrics } from '../../metrics/process.js';
import { type Metrics } from '../../metrics/metrics.js';
import { NO_FLEET, type Fleet, type FleetContext } from '../../mqtt/index.js';
import { detached } from '../../async/defects.js';
import { systemTime, type TimeSource } from '../../async/time.js';
import { openLog, writeLine } from '../output/log.js';
import { storeOf } from '../options/memory.js';
import { fleetOptionsOf } from '../options/mqtt.js';
import { accessWarnings, openAccess, protectionOf } from '../options/protection.js';
import { checkPorts } from '../options/ports.js';
import { pagesOfRig } from '../options/pages.js';
import { healthUrl, pageUrl, readyLine, type Running } from '../process/run.js';
import { firstLook } from './first-look.js';
import { openServerRadio } from './radio.js';
import { radioTrace } from '../output/radio-trace.js';
import type { DeviceServer } from '../../server/device-server.js';
import type { Store } from '../../store/store.js';
import type { ClockFacts } from '../../store/system-clock.js';
import { built } from '../../system/package.js';
import { missingPackage } from '../../system/packages.js';
import { systemBusOf } from '../../system/system-bus.js';
import { isSynchronised, TIME_DATE } from '../../system/time-date.js';
import type { ServerFlags } from '../options/server-flags.js';

const OPEN_SERVER = {
  activity: 'command the devices',
  token: '--token-file or AIRBENCH_TOKEN',
  address: '--address',
};

/** How often the signal of links is read for Home Assistant, ms. */
const SIGNAL_MS = 60_000;

/** The limit for links to end before the radio closes, ms: a proxy may not answer. */
const CLOSE_MS = 1_000;

export interface Context {
  readonly radio: Radio;
  readonly log: Logger;
  readonly time: TimeSource;
  readonly metrics: Metrics;
  readonly protection: Protection;
  readonly fleet: Fleet;
  readonly pages: () => Pages | null;
  readonly openStore: (migrations: readonly string[]) => Store;
  readonly clockFacts: ClockFacts;
  readonly signalMs: number | undefined;
}

/** Left is a message. */
export type Start<C> = (options: Context & { readonly config: C }) => TE.TaskEither<string, DeviceServer>;

/** Logs each change of the adapter's state. */
const logState = (radio: Radio, log: Logger): void =>
  void radio.onState((state) =>
    log[state === 'poweredOn' ? 'info' : 'warn'](`the Bluetooth adapter is ${state}`),
  );

/** Opens the adapter and starts a server on it. Left is a message. */
export const startOnRadio = (
  name: FleetContext['kind'],
  flags: ServerFlags,
  start: (context: Context) => TE.TaskEither<string, DeviceServer>,
): TE.TaskEither<string, Running> => {
  const log = openLog(`${name} server`, flags.verbose);
  const metrics = openProcessMetrics(name);
  const time = systemTime;
  const pages = pagesOfRig();
  const opened = openAccess({ variable: 'AIRBENCH_TOKEN', file: flags.tokenFile }, log);
  if (E.isLeft(opened)) return TE.left(opened.left);
  const { access, close: closeAccess } = opened.right;
  const broker = fleetOptionsOf(flags);
  if (E.isLeft(broker)) return TE.left(broker.left);
  const missing = flags.mdns ? missingPackage('bonjour-service') : undefined;
  if (missing !== undefined) return TE.left(`--mdns: ${missing}`);
  const joinFleet = async (): Promise<Fleet> => {
    if (broker.right === undefined) return NO_FLEET;
    const { openFleet } = await import('../../mqtt/open-fleet.js');
    return openFleet(broker.right, { kind: name, time, log, metrics });
  };
  /** Announces the server until the returned task ends that. */
  const announced = async (port: number): Promise<Task<void>> => {
    if (!flags.mdns) return () => Promise.resolve();
    const { announce } = await import('./mdns.js');
    const needsToken = access.required;
    return announce({ kind: name, name: flags.name, address: flags.address, port, needsToken }, log);
  };
  return pipe(
    checkPorts([{ flag: '--port', address: flags.address, port: flags.port }]),
    TE.chain(() => openServerRadio(flags, log)),
    TE.chainFirstIOK((radio) => () => logState(radio, log)),
    TE.bindTo('radio'),
    TE.bind('fleet', () => TE.fromTask(joinFleet)),
    TE.chain(({ radio, fleet }) => {
      const measured = measuredRadio(radio, metrics, time, radioTrace(log).operation);
      return pipe(
        start({
          ...{ radio: measured, log, time, metrics },
          protection: protectionOf(flags, access),
          fleet,
          pages,
          openStore: storeOf(name, flags, time, log),
          clockFacts: { built, isSynchronised: isSynchronised(systemBusOf(TIME_DATE, time)) },
          signalMs: flags.homeAssistant === undefined ? undefined : SIGNAL_MS,
        }),
        TE.bind('silence', ({ port }) => TE.fromTask(() => announced(port))),
        TE.map(({ port, heardSince, close, silence }) => ({
          ready: [readyLine(`${name} server`, flags.address, port)],
          log,
          warnings: accessWarnings(flags.address, access, OPEN_SERVER),
          port,
          health: healthUrl(flags.address, port),
          greet: (signal: AbortSignal) =>
            firstLook(
              {
                ...{ kind: name, radio: measured, time, heardSince, write: writeLine },
                page: pageUrl(flags.address, port),
              },
              signal,
            ),
          close: async () => {
            await silence();
            const cancel = time.after(CLOSE_MS, () => detached(radio.close()));
            await close();
            cancel();
            await fleet.close();
            closeAccess();
            await radio.close();
          },
        })),
        TE.orElseFirstTaskK(() => async () => {
          await fleet.close();
          await radio.close();
        }),
      );
    }),
  );
};
