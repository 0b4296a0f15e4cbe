/** The logs of the rig's processes during the current scenario. A passing run prints nothing. */
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';

/** Lines kept of one scenario. */
const LIMIT = 5000;
const ERROR = 50;

interface Line {
  readonly text: string;
  /** The process that logged the line. Undefined: a line outside the log, such as a warning of Node.js. */
  readonly source: string | undefined;
}

export class ServerLog {
  private lines: Line[] = [];
  private dropped = 0;
  private readonly arrivals = new Arrivals();

  /** `loud` receives the lines that a person must see immediately: errors, and lines outside the log. */
  constructor(private readonly loud: (line: string) => void) {}

  push(text: string): void {
    const { name, level } = fieldsOf(text);
    this.lines.push({ text, source: name });
    if (this.lines.length > LIMIT) {
      this.lines.shift();
      this.dropped += 1;
    }
    if (level === undefined || level >= ERROR) this.loud(text);
    this.arrivals.notify();
  }

  /** Deletes the lines of earlier scenarios. */
  begin(): void {
    this.lines = [];
    this.dropped = 0;
  }

  /** The lines of one process among the last `LIMIT` of all. Undefined: the lines outside the log. */
  of(name: string | undefined): string {
    const lines = this.lines.filter(({ source }) => source === name).map(({ text }) => text);
    return [
      ...(this.dropped === 0 ? [] : [`(the log's first ${this.dropped} lines are left out)`]),
      ...lines,
    ].join('\n');
  }

  /** Resolves when `name` has logged `text`, or after `patience` milliseconds. */
  async has(name: string, text: string, patience: number): Promise<void> {
    const logged = (): true | undefined => this.of(name).includes(text) || undefined;
    await this.arrivals.until(logged, `no ${text}`, patience).catch(() => undefined);
  }
}

/** The name and level of a line of pino; `{}` for any other line. */
const fieldsOf = (text: string): { readonly name?: string; readonly level?: number } => {
  try {
    return JSON.parse(text) as { readonly name?: string; readonly level?: number };
  } catch {
    return {};
  }
};
