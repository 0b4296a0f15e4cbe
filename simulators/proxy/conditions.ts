import type { Cancel } from '../../src/async/time.js';

/** Values in force at the same time, each until it is removed. */
export class Conditions<A> {
  private readonly entries = new Set<{ readonly value: A }>();

  constructor(private readonly changed: () => void) {}

  add(value: A): Cancel {
    const entry = { value };
    this.entries.add(entry);
    this.changed();
    return () => {
      if (this.entries.delete(entry)) this.changed();
    };
  }

  /** All values, the oldest first. */
  get values(): readonly A[] {
    return [...this.entries].map(({ value }) => value);
  }

  get any(): boolean {
    return this.entries.size > 0;
  }
}
