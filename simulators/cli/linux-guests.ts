/** The guests of `airbench linux`: their files, their radio, their commands. */
import { createWriteStream, fstatSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StreamSpec } from '../../src/ble/hci/spec.js';
import { ownVariables, plainVariables } from '../lab/linux/command-script.js';
import { prepareMachine } from '../lab/linux/guest.js';
import { findImage } from '../lab/linux/find-image.js';
import type { Image } from '../lab/linux/image.js';
import { DEBIAN_ROOT, fetchRoot } from '../lab/linux/packages.js';
import type { Execution } from '../lab/linux/program.js';
import { findAccelerator, type Accelerator, type Endpoint, type Forwarded } from '../lab/linux/qemu.js';
import { startSessionOrBoot, type Session, type Streams } from '../lab/linux/session.js';
import { startTogether } from '../lab/linux/together.js';
import { systemTime } from '../../src/async/time.js';
import { startAir, type AirFlags, type DescribedWorld } from './air.js';
import type { Closers } from '../../src/cli/process/closers.js';
import { writeLine } from '../../src/cli/output/log.js';
import type { Progress } from '../../src/cli/output/progress.js';
import { temporaryFolder } from '../../src/cli/process/temporary-folder.js';
import { messageOf } from '../../src/system/system-error.js';

export interface LinuxFlags extends Omit<AirFlags, keyof typeof OWN_PLACE> {
  readonly hci: StreamSpec | undefined;
  readonly guest: string | undefined;
  readonly adapters: number;
  readonly beside: readonly string[];
  readonly keep: string | undefined;
  readonly in: string | undefined;
  readonly packages: readonly string[];
  readonly forward: readonly Forwarded[];
  /** Days. */
  readonly prune: number | undefined;
  readonly root: 'this' | 'debian';
  readonly accelerator: Accelerator | 'auto';
  readonly cpus: number | undefined;
  readonly memory: number;
  readonly start: 'restored' | 'booted';
}

/** Flags of `airbench air` that do not apply to guests: their radio is local to this machine. */
export const OWN_PLACE = {
  ...{ hciAddress: '127.0.0.1', hciSocket: undefined, vhci: 0 },
  ...{ controlAddress: '127.0.0.1', controlTokenFile: undefined },
  ...{ allowOrigin: [], allowHost: [], trustProxy: [] },
};

/**
 * A stream that never blocks this process, and so the radio. `process.stdout` blocks on a terminal or a file, which gets
 * another stream. Node makes a pipe non-blocking, so that other writers would fail instead of waiting.
 */
const output = (stream: NodeJS.WriteStream & { readonly fd: 1 | 2 }): Writable => {
  const stats = fstatSync(stream.fd);
  return stats.isFIFO() || stats.isSocket()
    ? stream
    : createWriteStream('', { fd: stream.fd, autoClose: false });
};

export const streamsOfProcess = (): Streams => {
  const { stdin, stdout, stderr } = process;
  return {
    stdin,
    stdout: output(stdout),
    stderr: output(stderr),
    terminal: stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : undefined,
  };
};

const HOST_IN_GUEST = '10.0.2.2';

/** The files of the guest, and the folders of its root. */
interface Fetched {
  readonly image: Image;
  readonly layers: readonly string[];
}

const fetchAll = async (
  { guest, root, packages: names }: LinuxFlags,
  execution: Execution,
): Promise<Fetched> => {
  const packages = [...(root === 'debian' ? DEBIAN_ROOT : []), ...names];
  const image = await findImage(guest, execution);
  const packageLayers = packages.length === 0 ? [] : [await fetchRoot(packages, execution)];
  return { image, layers: [...(root === 'debian' ? [] : ['/']), ...packageLayers] };
};

/** The radio of the guest, and the command's variables about it. */
interface Radio {
  readonly endpoint: Endpoint;
  readonly variables: Readonly<Record<string, string>>;
}

const openRadio = (
  flags: LinuxFlags,
  described: DescribedWorld,
  closers: Closers,
): TE.TaskEither<string, Radio> =>
  flags.hci !== undefined
    ? TE.right({ endpoint: flags.hci, variables: {} })
    : pipe(
        startAir({ ...flags, ...OWN_PLACE }, described),
        TE.map(({ hciPort, controlPort, close }) => {
          closers.add(close);
          return {
            endpoint: { kind: 'tcp', host: OWN_PLACE.hciAddress, port: hciPort },
            variables: { CONTROL_URL: `http://${HOST_IN_GUEST}:${controlPort}` },
          };
        }),
      );

/** Writes text from pieces of any size to stderr line by line, with a prefix. */
export const toLog = (prefix: string): PassThrough => {
  const stream = new PassThrough();
  createInterface({ input: stream }).on('line', (line) => writeLine(`${prefix}${line}`));
  return stream;
};

/** The streams of a command beside the main one: both outputs go to stderr. */
const streamsBeside = (prefix: string): Streams => ({
  ...{ stdin: new PassThrough().end(), stdout: toLog(prefix), stderr: toLog(prefix), terminal: undefined },
});

/** A command, its streams, and the prefix of its lines on stderr. */
interface Placed {
  readonly command: readonly string[];
  readonly streams: Streams;
  readonly prefix: string;
  readonly forwarded: readonly Forwarded[];
}

const besideAt = (text: string, index: number): Placed => {
  const prefix = `beside ${index + 1}: `;
  return { command: ['sh', '-c', text], streams: streamsBeside(prefix), prefix, forwarded: [] };
};

interface Common {
  readonly scratch: string;
  readonly radio: Radio;
  readonly fetched: Fetched;
}

/** Prepares a guest for a command, with its files in a new folder; the resulting function starts the guest. */
const prepare = async (
  { command, streams, prefix, forwarded }: Placed,
  flags: LinuxFlags,
  { scratch, radio: { endpoint, variables }, fetched: { image, layers } }: Common,
  execution: Execution,
): Promise<() => Session> => {
  const { adapters, packages, root, accelerator, cpus, memory, start, verbose } = flags;
  const env =
    root === 'debian' ? plainVariables(process.env) : ownVariables(process.env, packages.length > 0);
  const guest = {
    ...{ image, layers, folder: process.cwd(), radio: endpoint, adapters },
    ...{ command, variables: { ...env, ...variables } },
    ...{ hasTerminal: streams.terminal !== undefined, isRestored: start === 'restored' },
    ...{ cpus, memory, forwarded },
    accelerator: accelerator === 'auto' ? await findAccelerator(image.qemu, execution.signal) : accelerator,
  };
  const machine = await prepareMachine(guest, await mkdtemp(join(scratch, 'guest-')), execution);
  const output = verbose > 0 ? toLog(prefix) : undefined;
  return () => startSessionOrBoot(machine, streams, (text) => void output?.write(text), systemTime);
};

/** Runs the command and each one beside it in separate guests. Right: the command's exit status. Left: a message. */
export const runCommands = (
  command: readonly string[],
  streams: Streams,
  flags: LinuxFlags,
  described: DescribedWorld,
  { closers, stop: { signal }, progress, onSession }: Context,
): TE.TaskEither<string, number> => {
  const execution = { signal, inform: progress.step };
  return pipe(
    TE.Do,
    TE.apS('scratch', temporaryFolder()),
    TE.apS('radio', openRadio(flags, described, closers)),
    TE.apS(
      'fetched',
      TE.tryCatch(() => fetchAll(flags, execution), messageOf),
    ),
    TE.chain((common) =>
      TE.tryCatch(async () => {
        // One guest after the other: the first guest writes the state from which the others continue.
        const revealed = { ...streams, reveal: progress.end };
        const placed = { command, streams: revealed, prefix: '', forwarded: flags.forward };
        const main = await prepare(placed, flags, common, execution);
        const others: (() => Session)[] = [];
        for (const beside of flags.beside.map(besideAt)) {
          others.push(await prepare(beside, flags, common, execution));
        }
        progress.step('starting the guest');
        return startTogether(main, others, systemTime);
      }, messageOf),
    ),
    TE.chain((session) => {
      onSession(session);
      return () => session.ended;
    }),
  );
};

export interface Context {
  readonly closers: Closers;
  readonly stop: AbortController;
  readonly progress: Progress;
  readonly onSession: (session: Session) => void;
}
