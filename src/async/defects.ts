/** Defects of code whose caller must go on: a parser of packets, a list of listeners. */
import type { Cancel } from './time.js';

/** Throws a defect where only the last resort of a server, a test runner or a browser catches it. */
export const reportDefect = (defect: unknown): void =>
  queueMicrotask(() => {
    throw defect instanceof Error ? defect : new Error(String(defect));
  });

/** The result of `run`; undefined: its defect is reported. */
export const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run();
  } catch (defect) {
    reportDefect(defect);
    return undefined;
  }
};

/** A listener whose defect is reported and does not reach its caller. */
export const isolated =
  <A extends readonly unknown[]>(listener: (...news: A) => void): ((...news: A) => void) =>
  (...news) => {
    attempt(() => listener(...news));
  };

/**
 * Listeners for one kind of news. A function that is added twice is called twice, until both are removed. A defect of a listener is
 * reported, and does not keep the next listeners from being called.
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

  /** Calls the present listeners. */
  call(news: A): void {
    for (const { listener } of [...this.all]) listener(news);
  }
}

/** Lets a promise run by itself: its rejection is a defect. */
export const detached = (promise: PromiseLike<unknown> | undefined): void =>
  void promise?.then(undefined, reportDefect);
