/** A host's mistake, and what it goes against. */
export interface Violation {
  /** Whose host: the controller's name. */
  readonly adapter: string;
  /** Where the specification says otherwise. */
  readonly clause: string;
  readonly sentence: string;
  /** How often it was made. */
  readonly count: number;
}

/** How many different ones are kept; later ones are only told. */
const LIMIT = 500;

/** What strict controllers find wrong with their hosts: each mistake once, and how often it was made. */
export class Violations {
  private readonly entries = new Map<string, Violation>();
  private readonly listeners = new Set<(violation: Violation) => void>();

  /** Calls `listener` with each mistake when it is made for the first time. */
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
