import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** All input and output of the guest's first serial line, and what was found, in order of time. */
export class SerialLog {
  private readonly stream: WriteStream;
  private line = '';

  constructor(readonly path: string) {
    this.stream = createWriteStream(path);
  }

  /** Output of the guest, in pieces as received. */
  received(text: string): void {
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.stream.write(`${line}\n`);
  }

  /** A line of ours. */
  note(text: string): void {
    if (this.line !== '') this.received('\n');
    this.stream.write(`${text}\n`);
  }

  async close(): Promise<void> {
    this.received('\n');
    this.stream.end();
    await once(this.stream, 'finish');
  }
}
