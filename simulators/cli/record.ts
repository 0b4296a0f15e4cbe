/** `airbench record`: captures a device while a host reads all of its values. */
import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Argument, Command, InvalidArgumentError, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Explored } from '../lab/record/explore.js';
import type { Recorder } from '../lab/record/recorder.js';
import { listAdapters } from '../../src/ble/hci/adapters.js';
import { DEFAULT_MTU } from '../../src/ble/hci/att.js';
import { noAdapterAdvice, openingAdvice, upAdvice } from '../../src/ble/hci/advice.js';
import type { HciSpec, StreamSpec, UserSpec } from '../../src/ble/hci/spec.js';
import { openRadio, type NobleRadio } from '../../src/ble/noble/index.js';
import { deviceMessage } from '../../src/operations/index.js';
import { systemReason } from '../../src/system/system-error.js';
import { systemTime } from '../../src/async/time.js';
import { wait } from '../../src/async/wait.js';
import { openLog, writeLine } from '../../src/cli/output/log.js';
import { withLog } from '../../src/cli/options/common-flags.js';
import { flag, grouped, hciFlag, readAddress, secondsFlag } from '../../src/cli/options/options.js';
import { printLines } from '../../src/cli/output/print.js';
import { openProgress, secondsLeft, type Progress } from '../../src/cli/output/progress.js';
import { INTERRUPTED, onStopRequest } from '../../src/cli/process/stop.js';
import { DAY } from '../../src/cli/options/server-flags.js';
import { radioTrace } from '../../src/cli/output/radio-trace.js';
import { refuse } from '../../src/cli/options/usage.js';

interface RecordFlags {
  readonly hci: HciSpec;
  readonly scanSecs: number;
  readonly secs: number;
  /** The device's name in the capture; undefined: names and addresses stay. */
  readonly anonymise: string | undefined;
  readonly verbose: number;
}

interface RecordOptions extends RecordFlags {
  readonly address: string;
  readonly file: string;
  readonly progress: Progress;
  readonly stop: AbortSignal;
}

const LIMITS = { connect: 30_000, discover: 30_000, gatt: 10_000 };
const MADE_UP_NAME = 'Device';
/** GAP Device Name. */
const DEVICE_NAME = '2a00';

const recording = () => import('../lab/record/index.js');

const OTHERWISE = 'name another with --hci';

/** An adapter for this program alone: on a shared adapter, the kernel would take part in the conversation. */
const ownAdapter = (hci: HciSpec): E.Either<string, StreamSpec | UserSpec> => {
  if (hci.kind === 'native') {
    const name = `hci${hci.device}`;
    return E.left(
      `a recording has its adapter to itself: name it as --hci user:${name}, once it is down (\`sudo hciconfig ${name} down\`)`,
    );
  }
  if (hci.kind !== 'default') return E.right(hci);
  return pipe(
    E.tryCatch(listAdapters, (thrown) => openingAdvice(thrown, 'default', OTHERWISE)),
    E.chain((adapters): E.Either<string, UserSpec> => {
      const [first] = adapters;
      const down = adapters.find(({ up }) => !up);
      if (down !== undefined) return E.right({ kind: 'user', device: down.device });
      return E.left(first === undefined ? noAdapterAdvice(OTHERWISE) : upAdvice(first.device, OTHERWISE));
    }),
  );
};

const pause = async (secs: number, signal: AbortSignal): Promise<void> => {
  await wait<never>({ time: systemTime, ms: secs * 1000, signal }, () => () => undefined)();
};

/** Listens to all advertisements for a time. Left: a message, if the device does not advertise. */
const scan = async (
  radio: NobleRadio,
  { address, scanSecs, progress, stop }: RecordOptions,
): Promise<E.Either<string, void>> => {
  progress.step((seconds) => `listening to advertisements: ${secondsLeft(scanSecs, seconds)}`);
  const silence = radio.listen(() => undefined);
  await pause(scanSecs, stop);
  silence();
  return radio.lastAdvertisement(address) === undefined
    ? E.left(
        `${address} was not heard within ${scanSecs} s: wake it, bring it near, or scan longer with --scan-secs`,
      )
    : E.right(undefined);
};

interface Visit {
  readonly explored: Explored;
  readonly lost: string | undefined;
}

/** Connects the device, reads all of its values, and listens. Left: a message; Right undefined: `stop` came before the connection. */
const visit = async (
  radio: NobleRadio,
  recorder: Recorder,
  options: RecordOptions,
): Promise<E.Either<string, Visit | undefined>> => {
  const { address, secs, progress, stop } = options;
  const scanned = await scan(radio, options);
  progress.step(`connecting ${address}`);
  const connected = E.isLeft(scanned)
    ? scanned
    : E.mapLeft(deviceMessage)(await radio.connect(address, [], stop)());
  if (E.isLeft(connected)) return stop.aborted ? E.right(undefined) : connected;
  const link = connected.right;
  const { explore } = await recording();
  progress.step(`reading all values of ${address}`);
  const conversation = explore(() => link.mtu ?? DEFAULT_MTU);
  let step = conversation.next();
  while (step.done !== true) {
    const response = await link.request(step.value)();
    if (E.isLeft(response)) return E.left(deviceMessage(response.left));
    step = conversation.next(response.right);
  }
  progress.step(
    (seconds) =>
      `connected: use the device now, ${secondsLeft(secs, seconds)}, ${recorder.notifications} notifications`,
  );
  await pause(secs, stop);
  const { ended } = link;
  await link.disconnect();
  return E.right({ explored: step.value, lost: ended && deviceMessage(ended) });
};

const save = async (
  recorder: Recorder,
  explored: Explored,
  { file, anonymise }: RecordOptions,
): Promise<E.Either<string, void>> => {
  const { valuesOf } = await recording();
  if (anonymise !== undefined) {
    recorder.anonymise({ name: anonymise, others: valuesOf(explored, DEVICE_NAME) });
  }
  return E.tryCatch(
    () => writeFileSync(file, recorder.snapshot()),
    (thrown) => `${file} cannot be written: ${systemReason(thrown)}`,
  );
};

const sumOf = (file: string, { attributes, subscribed }: Explored, notifications: number): string => {
  const values = attributes.filter(({ properties }) => properties !== undefined).length;
  return `${file}  characteristics ${values}  subscribed ${subscribed.length}  notifications ${notifications}`;
};

/** The exit status, and a message unless all is well. */
type Ending = readonly [status: number, message?: string];

/** Left: a message. */
const record = async (options: RecordOptions): Promise<E.Either<string, Ending>> => {
  const { address, file, verbose } = options;
  const hci = ownAdapter(options.hci);
  if (E.isLeft(hci)) return hci;
  const { Recorder, describeExplored } = await recording();
  const recorder = new Recorder(address);
  const log = openLog('record', verbose);
  const { packets } = radioTrace(log);
  const opened = await openRadio({
    hci: hci.right,
    limits: LIMITS,
    warn: (message, error) => log.warn({ err: error }, message),
    tap: {
      sent: (packet) => [recorder, packets].forEach((tap) => tap.sent(packet)),
      received: (packet) => [recorder, packets].forEach((tap) => tap.received(packet)),
    },
  })();
  if (E.isLeft(opened)) return E.left(deviceMessage(opened.left));
  const radio = opened.right;
  const visited = await visit(radio, recorder, options);
  await radio.close();
  if (E.isLeft(visited)) return visited;
  if (visited.right === undefined)
    return E.right([INTERRUPTED, `interrupted before ${address} was connected: ${file} is not written`]);
  const { explored, lost } = visited.right;
  const saved = await save(recorder, explored, options);
  if (E.isLeft(saved)) return saved;
  options.progress.end();
  printLines([...describeExplored(explored), sumOf(file, explored, recorder.notifications)]);
  return E.right(lost === undefined ? [0] : [1, lost]);
};

const addressArgument = (): Argument =>
  new Argument('<address>', 'address of the device').argParser((input) =>
    pipe(
      readAddress(input),
      E.getOrElse((message): string => {
        throw new InvalidArgumentError(message);
      }),
    ),
  );

const options = (): readonly Option[] =>
  [
    hciFlag(),
    secondsFlag(
      '--scan-secs <secs>',
      'how long to listen to advertisements first',
      { min: 0.1, max: DAY },
      5,
    ),
    secondsFlag('--secs <secs>', 'how long to listen to the connected device', { min: 0, max: DAY }, 10),
    flag<string | undefined>(
      '--anonymise [name]',
      'make up the addresses, and give the device this name',
      (input) => E.right(input),
      undefined,
      'real addresses and name',
    ).preset(MADE_UP_NAME),
  ].map(grouped('Recording'));

const EXAMPLES = `
Examples:
  npx airbench record D1:CE:00:00:00:01 die.btsnoop              on the first adapter that is down
  npx airbench record D1:CE:00:00:00:01 die.btsnoop --secs 60    and while you roll it for a minute
  npx airbench record D1:CE:00:00:00:01 die.btsnoop --anonymise GoDice_000001_K_v04
  npx airbench replay die.btsnoop                                the same die, on a virtual radio`;

export const recordCommand = (): Command => {
  const command = new Command('record').description('capture the packets of a device, for airbench replay');
  command.addArgument(addressArgument()).argument('<file>', 'the btsnoop file to write');
  for (const option of options()) command.addOption(option);
  return withLog(command)
    .addHelpText('after', EXAMPLES)
    .action(async (address: string, file: string, flags: RecordFlags) => {
      const writable = E.tryCatch(() => accessSync(dirname(file), constants.W_OK), systemReason);
      if (E.isLeft(writable)) refuse(command, `${file} cannot be written: ${writable.left}`);
      const stop = new AbortController();
      onStopRequest(() => stop.abort());
      const progress = openProgress(systemTime);
      const recorded = await record({ ...flags, address, file, progress, stop: stop.signal });
      progress.end();
      const [status, message] = E.isLeft(recorded) ? [1, recorded.left] : recorded.right;
      if (message !== undefined) writeLine(message);
      // The native socket of a used adapter keeps the process alive.
      process.exit(status);
    });
};
