import { columns } from '../support/columns.js';

/** Counts by type, the answer of `DELETE /chaos`. */
export type Faults = Readonly<Record<string, { readonly injected: number; readonly hits: number }>>;

interface Kind {
  count: number;
  readonly errors: Map<string, number>;
  slowestMs: number;
}

/** The operations, their outcomes, and all problems. */
export class Tally {
  readonly problems: string[] = [];
  private readonly kinds = new Map<string, Kind>();
  private readonly faults = new Map<string, readonly [injected: number, hits: number]>();
  private readonly compared = new Map<string, number>();
  private readonly disconnects = new Map<string, number[]>();

  /** `code`: the code of an error answer. */
  done(name: string, ms: number, code?: string): void {
    const kind = this.kinds.get(name) ?? { count: 0, errors: new Map<string, number>(), slowestMs: 0 };
    this.kinds.set(name, kind);
    kind.count += 1;
    kind.slowestMs = Math.max(kind.slowestMs, ms);
    if (code !== undefined) kind.errors.set(code, (kind.errors.get(code) ?? 0) + 1);
  }

  /** Records that a client requests a disconnect of a device. */
  requestsDisconnect(address: string): void {
    this.disconnects.set(address, [...(this.disconnects.get(address) ?? []), Date.now()]);
  }

  /** The times of requested disconnects since the last call, by device. */
  takeDisconnects(): ReadonlyMap<string, readonly number[]> {
    const taken = new Map(this.disconnects);
    this.disconnects.clear();
    return taken;
  }

  problem(message: string): void {
    this.problems.push(message);
  }

  get operations(): number {
    return [...this.kinds.values()].reduce((sum, { count }) => sum + count, 0);
  }

  compares(noun: string, count: number): void {
    this.compared.set(noun, (this.compared.get(noun) ?? 0) + count);
  }

  /** Adds the faults of a plan at its end. */
  injected(faults: Faults): void {
    for (const [type, { injected, hits }] of Object.entries(faults)) {
      const [injectedBefore, hitsBefore] = this.faults.get(type) ?? [0, 0];
      this.faults.set(type, [injectedBefore + injected, hitsBefore + hits]);
    }
  }

  /** Operations and faults as tables for a terminal. */
  table(): string {
    const operations = [...this.kinds].sort(([a], [b]) => a.localeCompare(b));
    return [
      columns(
        ['fault', 'injected', 'acted'],
        [...this.faults].map(([type, counts]) => [type, ...counts.map(String)]),
      ),
      columns(
        ['operation', 'done', 'slowest', 'errors'],
        operations.map(([name, { count, slowestMs, errors }]) => [
          ...[name, String(count), `${Math.round(slowestMs)} ms`],
          [...errors].map(([code, times]) => `${code} ${times}`).join(', '),
        ]),
      ),
      [...this.compared].map(([noun, count]) => `${count} ${noun}`).join(', '),
    ].join('\n\n');
  }
}
