/**
 * Adapters of the Linux kernel whose controller is a program (drivers/bluetooth/hci_vhci.c of Linux). Each open
 * `/dev/vhci` is one; every read and every write of it is one H4 packet.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { vhciAdvice } from './advice.js';

const DEVICE = '/dev/vhci';

/** The vendor packet that makes an adapter, a primary controller; answered by the same and its index, 16 bits. */
const CREATE = Buffer.from([0xff, 0x00]);

/** More than a packet has. */
const LONGEST = 2048;

/**
 * Ends the reader of this number with its stdin, however this process ends: the adapter is removed when the last
 * descriptor of the device is closed.
 */
const GUARD = 'read -r _; kill "$0"';

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

/** The index of the adapter that is made, and what the kernel's host has sent till then. */
const create = (descriptor: number): { readonly index: number; readonly sent: readonly Buffer[] } => {
  writeSync(descriptor, CREATE);
  const sent: Buffer[] = [];
  for (;;) {
    const packet = Buffer.alloc(LONGEST);
    const read = packet.subarray(0, readSync(descriptor, packet));
    if (read[0] === CREATE[0]) return { index: read.readUInt16LE(2), sent };
    sent.push(read);
  }
};

/** Both in sessions of their own, so that Ctrl-C ends them by way of this process. */
const detached = true;

/**
 * The kernel's side of an adapter: what is read is H4, the packets of the kernel; each write must be one packet of the
 * controller. Destroying it removes the adapter, which is gone at `close`.
 */
export class Vhci extends Duplex {
  /** As the kernel names it: `hci0`. */
  readonly name: string;
  /** In this process a pending read of the device would keep `process.exit` from ending it. */
  private readonly reader: ChildProcess;
  private readonly guard: ChildProcess;

  /** @throws what spawning throws. */
  private constructor(
    private readonly descriptor: number,
    { index, sent }: ReturnType<typeof create>,
  ) {
    super();
    this.name = `hci${index}`;
    for (const packet of sent) this.push(packet);
    // One program to start, since the kernel waits 2 s for an answer.
    this.reader = spawn('cat', { stdio: [descriptor, 'pipe', 'ignore'], detached });
    this.guard = spawn('sh', ['-c', GUARD, String(this.reader.pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached,
    });
    for (const child of [this.reader, this.guard]) child.on('error', () => this.destroy());
    this.guard.stdin?.on('error', () => undefined);
    this.reader.stdout?.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) this.reader.stdout?.pause();
    });
    this.reader.once('exit', () => {
      this.guard.kill();
      this.destroy();
    });
  }

  /** Makes an adapter. Left is a sentence. */
  static readonly open: TE.TaskEither<string, Vhci> = TE.tryCatch(async () => {
    const descriptor = openSync(DEVICE, 'r+');
    try {
      const vhci = new Vhci(descriptor, create(descriptor));
      // Where many are made, those that are there have to be answered.
      await setImmediate();
      return vhci;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }, vhciAdvice);

  override _read(): void {
    this.reader.stdout?.resume();
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
    closeSync(this.descriptor);
    const { reader } = this;
    if (reader.pid === undefined || reader.exitCode !== null || reader.signalCode !== null) done(error);
    else reader.once('exit', () => done(error));
    reader.kill();
  }
}
