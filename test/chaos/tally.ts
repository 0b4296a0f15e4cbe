import type { JsonRecord } from 'fp-ts/lib/Json.js';

/** How long an operation may take at most, milliseconds: an attempt to connect waits for those of all other devices. */
export const LIMITS_MS: Readonly<Record<string, number>> = { connect: 60_000, upload_ringtone: 60_000 };
export const USUAL_LIMIT_MS = 30_000;

interface Kind {
  count: number;
  readonly errors: Map<string, number>;
  slowestMs: number;
}

/** What was done, what came of it, and everything that must not be. */
export class Tally {
  readonly problems: string[] = [];
  private readonly kinds = new Map<string, Kind>();
  private readonly wishes = new Map<string, number[]>();

  /** `code`: of an error answer that is as it should be. */
  done(name: string, ms: number, code?: string): void {
    const kind = this.kinds.get(name) ?? { count: 0, errors: new Map<string, number>(), slowestMs: 0 };
    this.kinds.set(name, kind);
    kind.count += 1;
    kind.slowestMs = Math.max(kind.slowestMs, ms);
    if (code !== undefined) kind.errors.set(code, (kind.errors.get(code) ?? 0) + 1);
  }

  /** A client requests the end of a device's link. */
  asksForEnd(address: string): void {
    this.wishes.set(address, [...this.endsAskedFor(address), Date.now()]);
  }

  /** When clients requested the end of a device's link, milliseconds since the Unix epoch. */
  endsAskedFor(address: string): readonly number[] {
    return this.wishes.get(address) ?? [];
  }

  problem(sentence: string): void {
    this.problems.push(sentence);
  }

  get operations(): number {
    return [...this.kinds.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Operations and faults as tables for a terminal. */
  table(faults: JsonRecord): string {
    const operations = [...this.kinds].sort(([a], [b]) => a.localeCompare(b));
    return [
      columns(
        ['fault', 'injected', 'acted'],
        Object.entries(faults).map(([type, count]) => {
          const { injected, hits } = count as { injected: number; hits: number };
          return [type, String(injected), String(hits)];
        }),
      ),
      columns(
        ['operation', 'done', 'slowest', 'errors'],
        operations.map(([name, { count, slowestMs, errors }]) => [
          name,
          String(count),
          `${Math.round(slowestMs)} ms`,
          [...errors].map(([code, times]) => `${code} ${times}`).join(', '),
        ]),
      ),
    ].join('\n\n');
  }
}

const columns = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
