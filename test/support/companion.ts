import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Arrivals } from '../../src/testing/internal/arrivals.js';

/** A program that goes on beside the walk. */
export class Companion {
  private readonly lines: string[] = [];
  private next = 0;
  private readonly arrivals = new Arrivals();

  constructor(
    private readonly process: ChildProcessWithoutNullStreams,
    command: string,
  ) {
    for (const stream of [process.stdout, process.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        this.arrivals.notify();
      });
    process.once('close', () => this.arrivals.end(`${command} has ended: ${this.lines.join('\n')}`));
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

  private find(fits: (line: string) => boolean, what: string, from: number): Promise<number> {
    const index = (): number | undefined => {
      const at = this.lines.findIndex((line, at) => at >= from && fits(line));
      return at < 0 ? undefined : at;
    };
    return this.arrivals.until(index, `no ${what}`);
  }
}
