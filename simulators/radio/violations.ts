/** What a host does against the specification. */
export interface Violation {
  /** The name of the controller. */
  readonly adapter: string;
  /** The clause of the specification. */
  readonly clause: string;
  readonly sentence: string;
  /** How often it happened. */
  readonly count: number;
}

/** How many different violations are kept; later ones only go to the listeners. */
const LIMIT = 500;

/** The violations of all hosts on strict controllers, each with its count. */
export class Violations {
  private readonly entries = new Map<string, Violation>();
  private readonly listeners = new Set<(violation: Violation) => void>();

  /** Calls `listener` with each violation when it happens for the first time; the returned function removes it. */
  onNew(listener: (violation: Violation) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  add(adapter: string, clause: string, sentence: string): void {
    const key = `${adapter} ${clause} ${sentence}`;
    const known = this.entries.get(key);
    const violation = { adapter, clause, sentence, count: (known?.count ?? 0) + 1 };
    if (known !== undefined || this.entries.size < LIMIT) this.entries.set(key, violation);
    if (known === undefined) for (const listener of this.listeners) listener(violation);
  }

  list(): readonly Violation[] {
    return [...this.entries.values()];
  }

  clear(): void {
    this.entries.clear();
  }
}
