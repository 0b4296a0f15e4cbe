/** A command in a guest: its streams, its signals, its exit status. */
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import * as E from 'fp-ts/lib/Either.js';
import type { Cancel, TimeSource } from '../../../src/async/time.js';
import { CHANNELS, startChannels, type Channel } from './channels.js';
import { escapable } from './escape.js';
import type { Machine } from './qemu.js';
import { emptyState } from './state.js';

export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** The stdin and the stdout, if both are a terminal. */
  readonly terminal: Terminal | undefined;
  /** Called before the first output to the streams. */
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

/** Resolves when the stream has written all earlier data, or when it cannot. */
export const written = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });

/** The exit status of a command after a signal, as in shells. */
export const signalStatus = (name: NodeJS.Signals): number => 128 + constants.signals[name];

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

/** Limits for a guest to run the command, ms; under emulation this takes about ten seconds, or one second for a restored guest. */
export const START_MS = 300_000;
const RESTORED_MS = 60_000;

const WARNING = 'warning ';

/** The limit of kept output of the guest, for the message about a failure. */
const KEPT_CHARACTERS = 4_000;

/** The limit for a command to end after the loss of its terminal, ms. */
const HANGUP_MS = 5_000;

const NO_RADIO = 'the radio of --hci cannot be reached: ';
const NO_PORT = 'a port of --forward is in use: ';

/** QEMU's reason if it does not reach the radio, or cannot forward a port. */
const networkFailure = (output: string): string | undefined => {
  const [, reason] = /-chardev socket,id=hci\d+,(?:host|path)=.*?: (.*)/.exec(output) ?? [];
  if (reason !== undefined) return `${NO_RADIO}${reason}`;
  const [, rule] = /Could not set up host forwarding rule '(.*?)'/.exec(output) ?? [];
  return rule === undefined ? undefined : `${NO_PORT}${rule}`;
};

/** The same as {@link startSession}, but the machine boots if it cannot continue from its state. */
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
    if (E.isRight(ended) || [NO_RADIO, NO_PORT].some((reason) => ended.left.startsWith(reason)))
      return session;
    session = startSession({ ...machine, state: undefined }, streams, output, time);
    // If the booted machine does not run the command either, the state was not the cause.
    if (await session.begun) await emptyState(state);
    return session;
  };
  const finalSession = final();
  return {
    ended: finalSession.then(({ ended }) => ended),
    begun: finalSession.then(({ begun }) => begun),
    signal: (name) => session.signal(name),
  };
};

/** Starts the machine with a command in it; messages of the guest itself go to `output`. */
export const startSession = (
  machine: Machine,
  streams: Streams,
  output: (text: string) => void,
  time: TimeSource,
): Session => new GuestSession(machine, streams, output, time);

class GuestSession implements Session {
  readonly begun: Promise<boolean>;
  readonly ended: Promise<E.Either<string, number>>;
  private readonly kill = new AbortController();
  private readonly socket: (name: Channel) => Socket;
  private readonly control: Socket;
  /** The latest messages of the guest and of QEMU. */
  private messages = '';
  private hasBegun = false;
  private resolveBegun = (_: boolean): void => undefined;
  private readonly received = { out: 0, err: 0 };
  private exit: Exit | undefined;
  private readonly sentSignals = new Set<NodeJS.Signals>();
  private killedBy: NodeJS.Signals | undefined;
  private readonly interrupted: Promise<void>;
  private interrupt = (): void => undefined;
  private readonly cancelStart: Cancel;
  private cancelHangup: Cancel = () => undefined;

  constructor(
    machine: Machine,
    private readonly streams: Streams,
    private readonly output: (text: string) => void,
    private readonly time: TimeSource,
  ) {
    const { qemu, socket } = startChannels(machine, CHANNELS, this.kill.signal);
    this.socket = socket;
    this.control = socket('control');
    this.begun = new Promise((resolve) => (this.resolveBegun = resolve));
    this.interrupted = new Promise((resolve) => (this.interrupt = resolve));
    for (const stream of [socket('console'), qemu.stderr]) stream?.setEncoding('utf8').on('data', this.hear);
    // Data that QEMU no longer reads is lost.
    for (const name of CHANNELS) socket(name).on('error', () => undefined);
    this.relay(socket('stdout'), streams.stdout, 'out');
    this.relay(socket('stderr'), streams.stderr, 'err');
    const limit = machine.state === undefined ? START_MS : RESTORED_MS;
    this.cancelStart = time.after(limit, () => {
      this.hear(`\nthe guest did not run the command within ${limit / 1000} s\n`);
      this.kill.abort();
    });
    createInterface({ input: this.control })
      .on('line', (line) => this.read(line))
      .on('error', () => undefined);
    // The clock of a guest is as old as the guest.
    this.control.write(`start ${Math.floor(time.date().getTime() / 1000)} ${this.size()}\n`);
    this.watchTerminal();
    this.ended = new Promise((resolve) => {
      qemu.on('error', ({ name, message }) => {
        if (name !== 'AbortError') this.hear(message);
      });
      qemu.once('close', () => {
        this.release();
        resolve(this.result());
      });
    });
  }

  signal(name: NodeJS.Signals): void {
    if (!this.hasBegun || this.sentSignals.has(name)) {
      this.end(name);
      return;
    }
    this.sentSignals.add(name);
    this.control.write(`signal ${name.slice('SIG'.length)}\n`);
  }

  private end(name: NodeJS.Signals): void {
    this.killedBy = name;
    this.kill.abort();
    this.interrupt();
  }

  private readonly hear = (text: string): void => {
    this.messages = `${this.messages}${text}`.slice(-KEPT_CHARACTERS);
    this.output(text);
  };

  private read(line: string): void {
    if (line === 'begin') this.begin();
    if (line.startsWith(WARNING)) {
      this.streams.reveal?.();
      this.streams.stderr.write(`${line.slice(WARNING.length)}\n`);
    }
    this.exit ??= readExit(line);
    this.endWhenAllIsHere();
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.resolveBegun(true);
    this.cancelStart();
    const { reveal, terminal, stdin } = this.streams;
    reveal?.();
    terminal?.input.setRawMode(true);
    const typed = terminal === undefined ? stdin : stdin.pipe(escapable(() => this.end('SIGINT')));
    typed.pipe(this.socket('stdin'));
  }

  private relay(from: Socket, to: Writable, name: 'out' | 'err'): void {
    let isOpen = true;
    to.on('error', () => {
      isOpen = false;
      this.control.write(`close ${name}\n`);
      from.resume();
    });
    to.on('drain', () => from.resume());
    from.on('data', (bytes) => {
      this.begin();
      this.received[name] += bytes.length;
      if (isOpen && !to.write(bytes)) from.pause();
      this.endWhenAllIsHere();
    });
  }

  private endWhenAllIsHere(): void {
    const { exit, received } = this;
    if (exit !== undefined && received.out >= exit.out && received.err >= exit.err) this.kill.abort();
  }

  private size(): string {
    const { rows = 24, columns = 80 } = this.streams.terminal?.output ?? {};
    return `${rows} ${columns}`;
  }

  private readonly sendSize = (): void => void this.control.write(`size ${this.size()}\n`);

  private watchTerminal(): void {
    const { input, output } = this.streams.terminal ?? {};
    output?.on('resize', this.sendSize);
    // The terminal is lost, which the kernel reports by a signal too.
    input?.once('error', () => {
      if (!this.sentSignals.has('SIGHUP')) this.signal('SIGHUP');
      this.cancelHangup = this.time.after(HANGUP_MS, () => this.end('SIGHUP'));
    });
    input?.on('error', () => undefined);
  }

  /** Releases the timers and the streams of this machine. */
  private release(): void {
    const { stdin, terminal } = this.streams;
    this.cancelStart();
    this.cancelHangup();
    this.resolveBegun(false);
    terminal?.input.setRawMode(false);
    terminal?.output.off('resize', this.sendSize);
    stdin.unpipe();
    stdin.pause();
  }

  private async result(): Promise<E.Either<string, number>> {
    const { stdout, stderr } = this.streams;
    if (this.exit !== undefined) {
      // A slow reader may never read the rest.
      await Promise.race([Promise.all([stdout, stderr].map(written)), this.interrupted]);
      return E.right(this.exit.status);
    }
    if (this.killedBy !== undefined) return E.right(signalStatus(this.killedBy));
    return E.left(
      networkFailure(this.messages) ?? `the guest ended before the command did:\n${this.messages.trim()}`,
    );
  }
}
