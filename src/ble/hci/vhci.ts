/**
 * Adapters of the Linux kernel whose controller is a program (drivers/bluetooth/hci_vhci.c of Linux). Each open
 * `/dev/vhci` is one; every read and every write of it is one H4 packet.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, writeSync } from 'node:fs';
import { Duplex, type Readable, type Writable } from 'node:stream';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { vhciAdvice } from './advice.js';

const DEVICE = '/dev/vhci';

/** The vendor packet that makes an adapter, a primary controller; answered by the same and its index, 16 bits. */
const CREATE = Buffer.from([0xff, 0x00]);
const CREATED_LENGTH = 4;

/** How long the kernel may take to answer, milliseconds. */
const CREATE_LIMIT = 5_000;

/**
 * Reads for this process, in which a pending read of the device would keep `process.exit` from ending it. It ends with
 * its stdin, however this process ends: the adapter is removed when the last descriptor of the device is closed.
 */
const READER = 'cat <&3 & exec 3<&- >&-; read -r _; kill $!; wait';

/** Whether this user may make adapters. */
export const vhciAccess = (): 'allowed' | 'denied' | 'missing' => {
  const isOpen = (mode: number): boolean => {
    try {
      accessSync(DEVICE, mode);
      return true;
    } catch {
      return false;
    }
  };
  if (!isOpen(constants.F_OK)) return 'missing';
  return isOpen(constants.R_OK | constants.W_OK) ? 'allowed' : 'denied';
};

interface Reader {
  readonly process: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
}

const startReader = (descriptor: number): Reader => {
  // In a session of its own, so that Ctrl-C ends it by way of this process.
  const child = spawn('sh', ['-c', READER], {
    stdio: ['pipe', 'pipe', 'ignore', descriptor],
    detached: true,
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('sh cannot be started');
  child.on('error', () => undefined);
  stdin.on('error', () => undefined);
  return { process: child, stdin, stdout };
};

/** The index of the adapter that was made. */
const createdIndex = async ({ stdout }: Reader): Promise<number> => {
  const limit = AbortSignal.timeout(CREATE_LIMIT);
  for (;;) {
    const answer: unknown = stdout.read(CREATED_LENGTH);
    if (answer instanceof Buffer) return answer.readUInt16LE(2);
    await once(stdout, 'readable', { signal: limit });
  }
};

/**
 * The kernel's side of an adapter: what is read is H4, the packets of the kernel; each write must be one packet of the
 * controller. Destroying it removes the adapter, which is gone at `close`.
 */
export class Vhci extends Duplex {
  private constructor(
    /** As the kernel names it: `hci0`. */
    readonly name: string,
    private readonly descriptor: number,
    private readonly reader: Reader,
  ) {
    super();
    reader.stdout.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) reader.stdout.pause();
    });
    reader.stdout.once('end', () => this.destroy());
  }

  /** Makes an adapter. Left is a sentence. */
  static readonly open: TE.TaskEither<string, Vhci> = TE.tryCatch(async () => {
    const descriptor = openSync(DEVICE, 'r+');
    const reader = startReader(descriptor);
    try {
      writeSync(descriptor, CREATE);
      return new Vhci(`hci${await createdIndex(reader)}`, descriptor, reader);
    } catch (error) {
      reader.stdin.end();
      closeSync(descriptor);
      throw error;
    }
  }, vhciAdvice);

  override _read(): void {
    this.reader.stdout.resume();
  }

  override _write(packet: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      writeSync(this.descriptor, packet);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { process: reader, stdin } = this.reader;
    closeSync(this.descriptor);
    if (reader.exitCode !== null || reader.signalCode !== null) done(error);
    else reader.once('exit', () => done(error));
    stdin.end();
  }
}
