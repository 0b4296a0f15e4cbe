import { columns } from '../support/columns.js';

/** How long an operation may take at most, milliseconds: an attempt to connect waits for those of all other devices. */
export const LIMITS_MS: Readonly<Record<string, number>> = { connect: 60_000, upload_ringtone: 60_000 };
export const USUAL_LIMIT_MS = 30_000;

interface FaultCount {
  readonly injected: number;
  readonly hits: number;
}

/** By type, as `DELETE /chaos` answers. */
export type Faults = Readonly<Record<string, FaultCount>>;

interface Kind {
  count: number;
  readonly errors: Map<string, number>;
  slowestMs: number;
}

/** The operations, their outcomes, and all problems. */
export class Tally {
  readonly problems: string[] = [];
  private readonly kinds = new Map<string, Kind>();
  private readonly faults = new Map<string, FaultCount>();
  private readonly disconnects = new Map<string, number[]>();

  /** `code`: of an error answer that is as it should be. */
  done(name: string, ms: number, code?: string): void {
    const kind = this.kinds.get(name) ?? { count: 0, errors: new Map<string, number>(), slowestMs: 0 };
    this.kinds.set(name, kind);
    kind.count += 1;
    kind.slowestMs = Math.max(kind.slowestMs, ms);
    if (code !== undefined) kind.errors.set(code, (kind.errors.get(code) ?? 0) + 1);
  }

  /** A client requests the end of a device's link. */
  requestsDisconnect(address: string): void {
    this.disconnects.set(address, [...this.disconnectsOf(address), Date.now()]);
  }

  /** When clients requested the end of a device's link, milliseconds since the Unix epoch. */
  disconnectsOf(address: string): readonly number[] {
    return this.disconnects.get(address) ?? [];
  }

  /** Judged events are kept no longer. */
  forgetDisconnects(): void {
    this.disconnects.clear();
  }

  problem(message: string): void {
    this.problems.push(message);
  }

  get operations(): number {
    return [...this.kinds.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Takes the actions of a plan at its end. */
  injected(faults: Faults): void {
    for (const [type, { injected, hits }] of Object.entries(faults)) {
      const before = this.faults.get(type) ?? { injected: 0, hits: 0 };
      this.faults.set(type, { injected: before.injected + injected, hits: before.hits + hits });
    }
  }

  /** Operations and faults as tables for a terminal. */
  table(): string {
    const operations = [...this.kinds].sort(([a], [b]) => a.localeCompare(b));
    return [
      columns(
        ['fault', 'injected', 'acted'],
        [...this.faults].map(([type, { injected, hits }]) => [type, String(injected), String(hits)]),
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
