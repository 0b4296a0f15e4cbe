import type { Cancel } from '../../src/async/time.js';

/** Values in force at the same time, each until it is removed. */
export class Conditions<A> {
  private readonly held = new Set<{ readonly value: A }>();

  constructor(private readonly changed: () => void) {}

  add(value: A): Cancel {
    const entry = { value };
    this.held.add(entry);
    this.changed();
    return () => {
      if (this.held.delete(entry)) this.changed();
    };
  }

  /** The oldest first. */
  get values(): readonly A[] {
    return [...this.held].map(({ value }) => value);
  }

  get any(): boolean {
    return this.held.size > 0;
  }
}
