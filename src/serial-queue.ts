/** Runs tasks one at a time, in the order in which they were given. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs `task` when all before it are done, whether they succeeded or not; a failure is its own alone. */
  run<A>(task: () => A | Promise<A>): Promise<A> {
    const result = this.last.then(task);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that was given so far is done. */
  idle(): Promise<void> {
    return this.run(() => undefined);
  }
}
