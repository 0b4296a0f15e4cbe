import { allRules, type Rule } from './rules.js';
import type { TracePlace } from '../medium/trace.js';

/** An action of a host against the specification. */
export interface Violation {
  /** The name of the controller. */
  readonly adapter: string;
  /** The clause of the specification. */
  readonly clause: string;
  readonly message: string;
  /** How often it happened. */
  readonly count: number;
  /** The place of the first such packet; undefined without a trace. */
  readonly first: TracePlace | undefined;
}

/** How hosts have kept a rule since the start; a reset does not clear it. */
export interface Verdict extends Rule {
  /** The number of packets checked against the rule. */
  readonly checked: number;
  /** Violations of the rule. */
  readonly broken: number;
  readonly violations: readonly Violation[];
}

/** The maximum of different violations kept. Later violations only reach the listeners and the counts of their rules. */
const LIMIT = 500;

const countUp = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

/** Each violation once, with its count. */
class Tally {
  private readonly entries = new Map<string, Violation>();

  /** Returns a new violation; undefined for a repeated one. */
  add({ adapter, clause, message, first }: Omit<Violation, 'count'>): Violation | undefined {
    const key = `${adapter} ${clause} ${message}`;
    const earlier = this.entries.get(key);
    const violation = { adapter, clause, message, count: 1, first };
    if (earlier !== undefined) this.entries.set(key, { ...earlier, count: earlier.count + 1 });
    else if (this.entries.size < LIMIT) this.entries.set(key, violation);
    return earlier === undefined ? violation : undefined;
  }

  list(): readonly Violation[] {
    return [...this.entries.values()];
  }

  clear(): void {
    this.entries.clear();
  }
}

/** The violations of all hosts on strict controllers. */
export class Violations {
  private readonly sinceReset = new Tally();
  private readonly sinceStart = new Tally();
  private readonly checks = new Map<string, number>();
  private readonly breaches = new Map<string, number>();
  private readonly listeners = new Set<(violation: Violation) => void>();

  /** Calls `listener` with each violation when it happens for the first time; the returned function removes it. */
  onNew(listener: (violation: Violation) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Counts a packet that is checked against a rule. */
  checked({ clause }: Rule): void {
    countUp(this.checks, clause);
  }

  add(adapter: string, { clause }: Rule, message: string, first: TracePlace | undefined): void {
    const violation = { adapter, clause, message, first };
    countUp(this.breaches, clause);
    this.sinceStart.add(violation);
    const added = this.sinceReset.add(violation);
    if (added !== undefined) for (const listener of this.listeners) listener(added);
  }

  /** The violations since the start, or the last reset. */
  list(): readonly Violation[] {
    return this.sinceReset.list();
  }

  clear(): void {
    this.sinceReset.clear();
  }

  /** A verdict for each rule. */
  verdicts(): readonly Verdict[] {
    const violations = this.sinceStart.list();
    return allRules.map((rule) => ({
      ...rule,
      checked: this.checks.get(rule.clause) ?? 0,
      broken: this.breaches.get(rule.clause) ?? 0,
      violations: violations.filter(({ clause }) => clause === rule.clause),
    }));
  }
}
