/** `airbench air --adapter`: the device's side of a bench. */
import type { Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { countedKinds, isCounted, type CountedKind } from '../control/kinds.js';
import { parseHciSpec } from '../../src/ble/hci/spec.js';
import { listenMessage } from '../../src/http/index.js';
import { openProcessMetrics } from '../../src/metrics/process.js';
import { systemTime } from '../../src/async/time.js';
import { openLog } from '../../src/cli/output/log.js';
import { flag, grouped, isGiven, withChoices, type Read } from '../../src/cli/options/options.js';
import { openControlProtection, type ControlFlags } from '../../src/cli/options/protection.js';
import { closingOnFailure } from '../../src/cli/process/closers.js';
import { healthUrl, readyLine, type Running } from '../../src/cli/process/run.js';
import { openTrace } from './virtual-radio.js';
import { refuse } from '../../src/cli/options/usage.js';

/** An adapter of this machine; without a number, the first that is down. */
interface Adapter {
  readonly device: number | undefined;
}

export interface BenchFlags extends ControlFlags {
  readonly adapter: Adapter | undefined;
  readonly device: CountedKind | undefined;
  readonly controlPort: number;
  readonly seed: number;
  readonly trace: string | undefined;
  readonly verbose: number;
}

export interface WantedBench {
  readonly adapter: Adapter;
  readonly device: CountedKind;
}

/** The flags that apply without a simulated air. */
const ON_A_BENCH = [
  ...['adapter', 'device', 'seed', 'trace', 'verbose', 'logFormat'],
  ...['controlAddress', 'controlPort', 'controlTokenFile', 'allowOrigin', 'allowHost', 'trustProxy'],
];

const readAdapter: Read<Adapter | undefined> = (input) =>
  pipe(
    parseHciSpec(input),
    E.chain((spec): E.Either<string, Adapter> => {
      if (spec.kind === 'default') return E.right({ device: undefined });
      return spec.kind === 'native' ? E.right({ device: spec.device }) : E.left('');
    }),
    E.mapLeft(() => 'it must be default or hciN'),
  );

const NAMES = Object.keys(countedKinds);

const readKind: Read<CountedKind | undefined> = (input) =>
  isCounted(input) ? E.right(input) : E.left(`it must be one of ${NAMES.join(', ')}`);

export const benchOptions = (): readonly Option[] =>
  [
    flag<Adapter | undefined>(
      '--adapter <hciN>',
      'instead of a virtual radio: one device on this adapter, which must be down; with --device',
      readAdapter,
      undefined,
      'none',
    ),
    withChoices(
      NAMES,
      flag<CountedKind | undefined>(
        '--device <kind>',
        'kind of the device on the adapter',
        readKind,
        undefined,
        'none',
      ),
    ),
  ].map(grouped('Devices'));

/** The bench in the flags, if any; an incomplete bench, or one with flags of the virtual radio, ends the program. */
export const wantedBench = ({ adapter, device }: BenchFlags, command: Command): WantedBench | undefined => {
  if (adapter === undefined && device === undefined) return undefined;
  if (adapter === undefined) return refuse(command, "option '--device <kind>' needs --adapter");
  if (device === undefined)
    return refuse(
      command,
      `option '--adapter <hciN>' needs ${NAMES.map((kind) => `--device ${kind}`).join(' or ')}`,
    );
  const contradicting = command.options.find(
    (option) => isGiven(command, option) && !ON_A_BENCH.includes(option.attributeName()),
  );
  if (contradicting !== undefined) {
    return refuse(
      command,
      `option '${contradicting.flags}' needs the virtual radio, which --adapter replaces`,
    );
  }
  return { adapter, device };
};

/** Puts the device on the adapter and serves its control API. Left is a message. */
export const startBench = (
  { adapter, device: kind }: WantedBench,
  flags: BenchFlags,
): TE.TaskEither<string, Running> =>
  closingOnFailure(async (closers) => {
    const controlLog = openLog('control API', flags.verbose);
    const guarded = openControlProtection(flags, controlLog);
    if (E.isLeft(guarded)) return guarded;
    const { protection, warnings, close: closeProtection } = guarded.right;
    closers.add(closeProtection);
    const { Bench, serveBenchControl } = await import('../control/index.js');
    const traced = await openTrace(flags.trace);
    if (E.isLeft(traced)) return traced;
    const trace = traced.right;
    closers.add(() => trace.close());
    const log = openLog('device', flags.verbose);
    const opened = await Bench.open({
      ...{ kind, adapter: adapter.device, seed: flags.seed, trace },
      warn: (reason) => log.warn(reason),
    })();
    if (E.isLeft(opened)) return opened;
    const bench = opened.right;
    closers.add(() => bench.close());
    const control = await serveBenchControl({
      bench,
      address: flags.controlAddress,
      port: flags.controlPort,
      time: systemTime,
      log: controlLog,
      metrics: openProcessMetrics('control'),
      protection,
    })();
    if (E.isLeft(control)) return E.left(`the control API ${listenMessage(control.left)}`);
    const { right: server } = control;
    closers.add(() => server.close());
    return E.right({
      ready: [
        ...bench
          .list()
          .map(
            ({ address, device }) => `${kind}  ${address}  ${device.peripheral.name}  on ${bench.adapter}`,
          ),
        readyLine('control API', flags.controlAddress, server.port, '/events'),
      ],
      log: controlLog,
      warnings,
      port: server.port,
      health: healthUrl(flags.controlAddress, server.port),
      close: closers.close,
    });
  });
