/**
 * Adapters of the Linux kernel whose controller is a program (drivers/bluetooth/hci_vhci.c of Linux). Each open
 * `/dev/vhci` is one adapter; every read and every write is one H4 packet.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, writeSync } from 'node:fs';
import { Duplex } from 'node:stream';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { codeOf } from '../../system/system-error.js';
import { vhciAdvice } from './advice.js';
import { PacketType } from './packets.js';

const DEVICE = '/dev/vhci';

const VENDOR_PACKET = 0xff;

/** Makes an adapter with a primary controller; the answer is a vendor packet with its index, 16 bits. */
const CREATE = Buffer.from([VENDOR_PACKET, 0x00]);

/**
 * Ends the reader, a process of this number, when stdin ends, however this process ends: the adapter is removed when the
 * last descriptor of the device is closed.
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

/** Separates the vendor packet, which has the index of the adapter, from the packets of the kernel's host around it. */
export const readIndex = (read: Buffer): { readonly index: number; readonly sent: Buffer } | undefined => {
  let at = 0;
  while (read[at] === PacketType.command) at += 4 + read.readUInt8(at + 3);
  if (read[at] !== VENDOR_PACKET) return undefined;
  return {
    index: read.readUInt16LE(at + 2),
    sent: Buffer.concat([read.subarray(0, at), read.subarray(at + 4)]),
  };
};

/** EBADFD, for which Node has no name: the device has an adapter. */
const HAS_ADAPTER = -77;

/** The kernel makes an adapter by itself, 1 s after the device was opened. */
const create = (descriptor: number): void => {
  try {
    writeSync(descriptor, CREATE);
  } catch (error) {
    if (!(error instanceof Error && 'errno' in error && error.errno === HAS_ADAPTER)) throw error;
  }
};

/** Both children have their own sessions: Ctrl-C reaches this process alone, which ends them. */
const detached = true;

/**
 * The kernel's side of an adapter. Reading yields H4 packets of the kernel; each write must be one packet of the controller.
 * Destroying it removes the adapter; the event `close` reports its end.
 */
export class Vhci extends Duplex {
  /** The kernel's number of the adapter, once it exists. */
  private number: number | undefined;
  /** A child process, since a pending read of the device in this process would block `process.exit`. */
  private readonly reader: ChildProcess;
  private readonly guard: ChildProcess;
  private hasAnswered = false;
  /**
   * Whether the kernel received its first answer in time. Otherwise the kernel gives the adapter up, BlueZ never learns of
   * the adapter, and it is removed.
   */
  readonly inTime = new Promise<boolean>((resolve) => {
    this.once('answered', () => resolve(true));
    this.once('close', () => resolve(false));
  });

  /** @throws the errors of `spawn`. */
  private constructor(private readonly descriptor: number) {
    super();
    this.reader = spawn('cat', { stdio: [descriptor, 'pipe', 'ignore'], detached });
    this.guard = spawn('sh', ['-c', GUARD, String(this.reader.pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached,
    });
    for (const child of [this.reader, this.guard]) child.on('error', () => this.destroy());
    this.guard.stdin?.on('error', () => undefined);
    this.reader.stdout?.on('data', (chunk: Buffer) => {
      if (!this.push(this.number === undefined ? this.withoutIndex(chunk) : chunk))
        this.reader.stdout?.pause();
    });
    this.reader.once('exit', () => {
      this.guard.kill();
      this.destroy();
    });
  }

  get index(): number {
    return this.number ?? NaN;
  }

  /** The kernel's name of the adapter: `hci0`. */
  get name(): string {
    return `hci${this.index}`;
  }

  /** Makes an adapter. Left is a message. */
  static readonly open: TE.TaskEither<string, Vhci> = TE.tryCatch(async () => {
    const descriptor = openSync(DEVICE, 'r+');
    let vhci: Vhci;
    try {
      vhci = new Vhci(descriptor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    try {
      // After the reader has started: the kernel waits 2 s for each answer of a new adapter.
      create(descriptor);
      await vhci.made();
      return vhci;
    } catch (error) {
      vhci.destroy();
      throw error;
    }
  }, vhciAdvice);

  private made(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.once('made', resolve);
      this.once('close', () => reject(new Error('its reader has ended')));
    });
  }

  private withoutIndex(chunk: Buffer): Buffer {
    const read = readIndex(chunk);
    if (read === undefined) return chunk;
    this.number = read.index;
    this.emit('made');
    return read.sent;
  }

  override _read(): void {
    this.reader.stdout?.resume();
  }

  override _write(packet: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      writeSync(this.descriptor, packet);
      if (!this.hasAnswered) this.emit('answered');
      this.hasAnswered = true;
      done();
    } catch (error) {
      // An adapter that is down accepts nothing: late packets are lost.
      if (codeOf(error) === 'ENXIO' && this.hasAnswered) done();
      else done(error instanceof Error ? error : new Error(String(error)));
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
