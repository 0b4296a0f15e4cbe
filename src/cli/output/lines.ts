/** Writes lines to a stream without waiting for its reader, and counts lost lines. */
import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { codeOf } from '../../system/system-error.js';

/** The limit of text that waits for a reader, characters. */
const MAX_WAITING = 1024 * 1024;
/** The limit for a reader that does not read at the end of the process, ms. */
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
 * The bytes that the system has not taken from `stream`. Node's streams count a whole line as unwritten until the event
 * loop runs again; the handle of a pipe knows the exact number. A stream without a handle holds whole lines.
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

  /** `lossReport` makes a line with the number of lost lines. */
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

  /** Writes a line with its newline, or a text that the next line erases. From a full buffer until an empty one, drops lines. */
  write(line: string): void {
    if (this.lost > 0 || this.characters > MAX_WAITING) this.lost += 1;
    else this.add(line);
    this.pump();
  }

  /** Writes all waiting text to `fd`, the stream's descriptor: at the end of the process, streams no longer write. */
  flush(fd: number): void {
    this.reportLoss();
    writeOut(fd, Buffer.concat([this.unwritten(), Buffer.from(this.waiting.splice(0).join(''))]));
  }

  /** The unwritten end of the latest line. */
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

  /** Writes one line at a time, so that output of other processes to the same pipe falls between lines. */
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
