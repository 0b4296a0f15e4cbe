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
  async shown(fits: (line: string) => boolean, what: string): Promise<void> {
    const at = await this.find(fits, what, this.next);
    this.next = at + 1;
  }

  /** The first line that begins with this, which is not passed over. */
  async line(beginning: string): Promise<string> {
    return this.lines[await this.find((line) => line.startsWith(beginning), beginning, 0)] ?? '';
  }

  private async find(fits: (line: string) => boolean, what: string, from: number): Promise<number> {
    for (let at = from; ; at++) {
      while (at >= this.lines.length) {
        if (this.ended)
          throw new Error(`${this.command} has ended without ${what}: ${this.lines.join('\n')}`);
        await new Promise<void>((done) => (this.more = done));
      }
      if (fits(this.lines[at] ?? '')) return at;
    }
  }
}
