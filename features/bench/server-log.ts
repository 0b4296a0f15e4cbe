/** The logs of the rig's processes, kept for the scenario that runs: a passing run prints nothing. */
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';

/** Lines kept of one scenario. */
const LIMIT = 5000;
const ERROR = 50;

interface Line {
  readonly text: string;
  /** Undefined: not a line of a log, such as a warning of Node's. */
  readonly from: string | undefined;
}

export class ServerLog {
  private lines: Line[] = [];
  private dropped = 0;
  private readonly arrivals = new Arrivals();

  /** `loud` gets the text that a person must see immediately: errors, and lines other than the log. */
  constructor(private readonly loud: (line: string) => void) {}

  push(text: string): void {
    const { name, level } = fieldsOf(text);
    this.lines.push({ text, from: name });
    if (this.lines.length > LIMIT) {
      this.lines.shift();
      this.dropped += 1;
    }
    if (level === undefined || level >= ERROR) this.loud(text);
    this.arrivals.notify();
  }

  /** Forgets earlier lines: a scenario begins. */
  begin(): void {
    this.lines = [];
    this.dropped = 0;
  }

  /** The lines of one process, or with undefined the lines outside the log; without the oldest if there were too many. */
  of(name: string | undefined): string {
    const lines = this.lines.filter(({ from }) => from === name).map(({ text }) => text);
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

/** The name and level of a line of pino's; neither for another line. */
const fieldsOf = (text: string): { readonly name?: string; readonly level?: number } => {
  try {
    return JSON.parse(text) as { readonly name?: string; readonly level?: number };
  } catch {
    return {};
  }
};
