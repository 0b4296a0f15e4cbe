import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program that goes on beside the walk. */
export class Companion {
  private readonly lines: string[] = [];
  private next = 0;
  private more = (): void => undefined;
  private ended = false;

  constructor(
    private readonly process: ChildProcessWithoutNullStreams,
    private readonly command: string,
  ) {
    for (const stream of [process.stdout, process.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        this.more();
      });
    process.once('close', () => {
      this.ended = true;
      this.more();
    });
  }

  type(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  /** The next line that fits; those before it are passed over. */
  async shown(pattern: RegExp): Promise<string> {
    for (;;) {
      for (const line of this.lines.slice(this.next)) {
        this.next++;
        if (pattern.test(line)) return line;
      }
      if (this.ended)
        throw new Error(`${this.command} has ended without ${String(pattern)}: ${this.lines.join('\n')}`);
      await new Promise<void>((done) => (this.more = done));
    }
  }
}
