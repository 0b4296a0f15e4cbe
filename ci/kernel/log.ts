import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** All that is said on the guest's first serial line, and what was found, in the order of time. */
export class SerialLog {
  private readonly stream: WriteStream;
  private line = '';

  constructor(readonly path: string) {
    this.stream = createWriteStream(path);
  }

  /** What the guest said, in pieces as they came. */
  heard(text: string): void {
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.stream.write(`${line}\n`);
  }

  /** A line of ours. */
  note(text: string): void {
    if (this.line !== '') this.heard('\n');
    this.stream.write(`${text}\n`);
  }

  async close(): Promise<void> {
    this.heard('\n');
    this.stream.end();
    await once(this.stream, 'finish');
  }
}
