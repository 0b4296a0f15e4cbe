import { isolated } from './defects.js';
import type { Cancel } from './time.js';

/**
 * Listeners for one kind of news. A function that is added twice is called twice, until both are removed. A defect of one is
 * reported, and the others are called all the same.
 */
export class Listeners<A> {
  private readonly all = new Set<{ readonly listener: (news: A) => void }>();

  get size(): number {
    return this.all.size;
  }

  add(listener: (news: A) => void): Cancel {
    const entry = { listener: isolated(listener) };
    this.all.add(entry);
    return () => void this.all.delete(entry);
  }

  /** Calls those that are there now. */
  call(news: A): void {
    for (const { listener } of [...this.all]) listener(news);
  }
}
