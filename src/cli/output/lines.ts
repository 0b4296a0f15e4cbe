/** Lines to a stream that may have no reader: never waited for, and counted where they are lost. */
import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { codeOf } from '../../system/system-error.js';

/** The most that waits for a reader, characters. */
const MAX_WAITING = 1024 * 1024;
/** How long the end of the process waits for a reader that takes nothing, ms. */
const PATIENCE_MS = 500;
const PAUSE_MS = 10;

const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);

/** Writes to a non-blocking descriptor, as long as it has a reader. */
const writeOut = (fd: number, bytes: Buffer): void => {
  let left = bytes;
  for (let waited = 0; left.length > 0 && waited < PATIENCE_MS;) {
    try {
      left = left.subarray(writeSync(fd, left));
      waited = 0;
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') return;
      pause();
      waited += PAUSE_MS;
    }
  }
};

/**
 * The bytes that the system has not taken from `stream`. Node's streams count a line as unwritten until the event
 * loop runs again, and as a whole; the handle of a pipe knows better. A stream without one holds whole lines.
 */
const bytesUnwritten = (
  stream: Writable & { readonly _handle?: { readonly writeQueueSize?: number } },
): number => stream._handle?.writeQueueSize ?? stream.writableLength;

export class Lines {
  private readonly waiting: string[] = [];
  private characters = 0;
  private lost = 0;
  /** The line written to the stream last. */
  private latest = '';

  /** `lossReport` makes the line that says how many were lost. */
  constructor(
    private readonly stream: Writable,
    private readonly lossReport: (lost: number) => string,
  ) {
    // If the reader has gone, only the output is lost.
    stream.on('error', () => undefined);
  }

  isStuck(): boolean {
    return this.stream.writableLength > 0;
  }

  /** Writes `line`, with its newline, or a text that the next line erases; drops it when too much waits, until all of that is read. */
  write(line: string): void {
    if (this.lost > 0 || this.characters > MAX_WAITING) this.lost += 1;
    else this.add(line);
    this.pump();
  }

  /** Writes what still waits to `fd`, the stream's own: for the end of the process, when no stream writes any more. */
  flush(fd: number): void {
    this.reportLoss();
    writeOut(fd, Buffer.concat([this.unwritten(), Buffer.from(this.waiting.splice(0).join(''))]));
  }

  /** The end of the latest line that the stream still has to write. */
  private unwritten(): Buffer {
    const line = Buffer.from(this.latest);
    return line.subarray(line.length - bytesUnwritten(this.stream));
  }

  private add(line: string): void {
    this.waiting.push(line);
    this.characters += line.length;
  }

  private reportLoss(): void {
    if (this.lost > 0) this.add(this.lossReport(this.lost));
    this.lost = 0;
  }

  /** One line at a time, so that what other processes write to the same pipe comes between lines. */
  private readonly pump = (): void => {
    while (!this.isStuck()) {
      if (this.waiting.length === 0) this.reportLoss();
      const line = this.waiting.shift();
      if (line === undefined) return;
      this.characters -= line.length;
      this.latest = line;
      this.stream.write(line, this.pump);
    }
  };
}
