/** The logs of the rig's processes during the current scenario. A passing run prints nothing. */
import { levels } from 'pino';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';

/** Lines kept of one scenario. */
const LIMIT = 5000;
const ERROR = 50;

interface Line {
  /** It begins with the time, in UTC. */
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
    this.lines.push({ text: timed(text), source: name });
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

interface Fields {
  readonly name?: string;
  readonly level?: number;
  /** Milliseconds since 1970. */
  readonly time?: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** The fields of a line of pino; `{}` for any other line. */
const fieldsOf = (text: string): Fields => {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && 'level' in json ? (json as Fields) : {};
  } catch {
    return {};
  }
};

/** The fields with a place of their own in a line, or without use in it. */
const PLACED: readonly string[] = ['level', 'time', 'name', 'msg', 'pid', 'hostname'];

/** `2026-11-26T17:03:12.345Z info answered {"path":"/api/led"}`, as in transcripts and captures. */
const timed = (text: string): string => {
  const fields = fieldsOf(text);
  const { level, time = Date.now(), msg = text } = fields;
  const others = Object.entries(fields).filter(([name]) => !PLACED.includes(name));
  return [
    new Date(time).toISOString(),
    ...(level === undefined ? [] : [levels.labels[level] ?? level]),
    msg,
    ...(others.length === 0 ? [] : [JSON.stringify(Object.fromEntries(others))]),
  ].join(' ');
};
