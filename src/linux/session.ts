/** A command in a guest: its streams, its signals, its exit status. */
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import { CHANNELS, startChannels } from './channels.js';
import { escapable } from './escape.js';
import type { Machine } from './qemu.js';
import { emptyState } from './state.js';

/** The streams of the command on this machine. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Its stdin and its stdout, where both are a terminal. */
  readonly terminal: Terminal | undefined;
  /** Called before anything is written to them. */
  readonly reveal?: () => void;
}

export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

export interface Session {
  /** The exit status; Left, in a message: the guest ended before the command did. */
  readonly ended: Promise<E.Either<string, number>>;
  /** Whether the command has begun; false once the guest has ended before. */
  readonly begun: Promise<boolean>;
  /** Sends a signal to the command; before it has begun, and at the second one, it ends the guest. */
  readonly signal: (name: NodeJS.Signals) => void;
}

/** Resolves when all is written that the stream was given so far, or when it cannot be. */
export const written = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });

/** The status of a command that a signal ended, as shells have it. */
export const signalStatus = (name: NodeJS.Signals): number => 128 + constants.signals[name];

/** How the command ended, and how many bytes it wrote. */
interface Exit {
  readonly status: number;
  readonly out: number;
  readonly err: number;
}

/** Reads `exit STATUS OUT ERR`; undefined for any other line. */
export const readExit = (line: string): Exit | undefined => {
  const [, status, out, err] = /^exit (\d+) (\d+) (\d+)$/.exec(line) ?? [];
  return status === undefined ? undefined : { status: Number(status), out: Number(out), err: Number(err) };
};

/** How long a guest may take until it runs the command, ms; where all is emulated it takes some ten seconds, or one where it is restored. */
export const START_MS = 300_000;
const RESTORED_MS = 60_000;

/** What the guest says to the user begins so. */
const WARNING = 'warning ';

/** How much of what the guest said is kept for the message about its failure. */
const KEPT_CHARACTERS = 4_000;

/** How long a command may go on once its terminal is gone, ms. */
const HANGUP_MS = 5_000;

/** QEMU's reason why it has no connection to the radio, if what it said has one. */
export const radioFailure = (heard: string): string | undefined => {
  const [, reason] = /-chardev socket,id=hci\d+,(?:host|path)=.*?: (.*)/.exec(heard) ?? [];
  return reason === undefined ? undefined : `the radio of --hci cannot be reached: ${reason}`;
};

/** The same as {@link startSession}, and the machine boots if its state is of no use. */
export const startSessionOrBoot = (
  machine: Machine,
  streams: Streams,
  output: (text: string) => void,
  time: TimeSource,
): Session => {
  let session = startSession(machine, streams, output, time);
  const { state } = machine;
  if (state === undefined) return session;
  const final = async (): Promise<Session> => {
    if (await session.begun) return session;
    const ended = await session.ended;
    if (E.isRight(ended) || radioFailure(ended.left) !== undefined) return session;
    session = startSession({ ...machine, state: undefined }, streams, output, time);
    // Else it was not for the state that it did not begin.
    if (await session.begun) await emptyState(state);
    return session;
  };
  const used = final();
  return {
    ended: used.then(({ ended }) => ended),
    begun: used.then(({ begun }) => begun),
    signal: (name) => session.signal(name),
  };
};

/** Starts the machine with a command in it; what the guest says of itself goes to `said`. */
export const startSession = (
  machine: Machine,
  streams: Streams,
  output: (text: string) => void,
  time: TimeSource,
): Session => {
  const kill = new AbortController();
  const { terminal } = streams;
  const { qemu, socket } = startChannels(machine, CHANNELS, kill.signal);
  const control = socket('control');
  let heard = '';
  const hear = (text: string): void => {
    heard = `${heard}${text}`.slice(-KEPT_CHARACTERS);
    output(text);
  };
  socket('console').setEncoding('utf8').on('data', hear);
  qemu.stderr?.setEncoding('utf8').on('data', hear);
  // Data that QEMU does not read any more is lost with it.
  for (const name of CHANNELS) socket(name).on('error', () => undefined);

  const received = { out: 0, err: 0 };
  let exit: Exit | undefined;
  const endWhenAllIsHere = (): void => {
    if (exit !== undefined && received.out >= exit.out && received.err >= exit.err) kill.abort();
  };
  const relay = (from: Socket, to: Writable, name: 'out' | 'err'): void => {
    let isOpen = true;
    to.on('error', () => {
      isOpen = false;
      control.write(`close ${name}\n`);
      from.resume();
    });
    to.on('drain', () => from.resume());
    from.on('data', (bytes) => {
      begin();
      received[name] += bytes.length;
      if (isOpen && !to.write(bytes)) from.pause();
      endWhenAllIsHere();
    });
  };
  relay(socket('stdout'), streams.stdout, 'out');
  relay(socket('stderr'), streams.stderr, 'err');

  const size = (): string => {
    const { rows = 24, columns = 80 } = terminal?.output ?? {};
    return `${rows} ${columns}`;
  };
  const sendSize = (): void => void control.write(`size ${size()}\n`);
  const limit = machine.state === undefined ? START_MS : RESTORED_MS;
  const cancelStart = time.after(limit, () => {
    hear(`\nthe guest did not run the command within ${limit / 1000} s\n`);
    kill.abort();
  });
  let hasBegun = false;
  let resolveBegun = (_: boolean): void => undefined;
  const begun = new Promise<boolean>((resolve) => (resolveBegun = resolve));
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    resolveBegun(true);
    cancelStart();
    streams.reveal?.();
    if (terminal === undefined) {
      streams.stdin.pipe(socket('stdin'));
      return;
    }
    terminal.input.setRawMode(true);
    streams.stdin.pipe(escapable(() => end('SIGINT'))).pipe(socket('stdin'));
  };
  let line = '';
  control.setEncoding('utf8').on('data', (text: string) => {
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) {
      if (one === 'begin') begin();
      if (one.startsWith(WARNING)) {
        streams.reveal?.();
        streams.stderr.write(`${one.slice(WARNING.length)}\n`);
      }
      exit ??= readExit(one);
    }
    endWhenAllIsHere();
  });
  // The clock of a guest is as old as the guest.
  control.write(`start ${Math.floor(time.date().getTime() / 1000)} ${size()}\n`);
  terminal?.output.on('resize', sendSize);

  let interrupt = (): void => undefined;
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
  const asked = new Set<NodeJS.Signals>();
  let killedBy: NodeJS.Signals | undefined;
  const end = (name: NodeJS.Signals): void => {
    killedBy = name;
    kill.abort();
    interrupt();
  };
  const signal = (name: NodeJS.Signals): void => {
    if (!hasBegun || asked.has(name)) {
      end(name);
      return;
    }
    asked.add(name);
    control.write(`signal ${name.slice('SIG'.length)}\n`);
  };
  let cancelHangup = (): void => undefined;
  // Its terminal is gone, of which the kernel tells by a signal too.
  terminal?.input.once('error', () => {
    if (!asked.has('SIGHUP')) signal('SIGHUP');
    cancelHangup = time.after(HANGUP_MS, () => end('SIGHUP'));
  });
  terminal?.input.on('error', () => undefined);
  const ended = new Promise<E.Either<string, number>>((resolve) => {
    qemu.on('error', ({ name, message }) => {
      if (name !== 'AbortError') hear(message);
    });
    qemu.once('close', () => {
      cancelStart();
      cancelHangup();
      resolveBegun(false);
      terminal?.input.setRawMode(false);
      terminal?.output.off('resize', sendSize);
      streams.stdin.unpipe();
      streams.stdin.pause();
      const { status } = exit ?? {};
      // A reader may be slow, and be waited for in vain.
      const outputs = [streams.stdout, streams.stderr].map(written);
      if (status !== undefined)
        detached(Promise.race([Promise.all(outputs), interrupted]).then(() => resolve(E.right(status))));
      else if (killedBy !== undefined) resolve(E.right(signalStatus(killedBy)));
      else resolve(E.left(radioFailure(heard) ?? `the guest ended before the command did:\n${heard.trim()}`));
    });
  });
  return { ended, begun, signal };
};
