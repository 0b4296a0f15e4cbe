/** Runs tasks one at a time, in the order in which they were given. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private unfinished = 0;

  /** `onIdle` is called whenever all tasks are done. */
  constructor(private readonly onIdle: () => void = () => undefined) {}

  /** Tasks that run or wait. */
  get size(): number {
    return this.unfinished;
  }

  /** Runs `task` when all before it are done, whether they succeeded or not; a failure is its own alone. */
  run<A>(task: () => A | Promise<A>): Promise<A> {
    this.unfinished += 1;
    const result = this.last.then(task);
    this.last = result.then(this.done, this.done);
    return result;
  }

  private readonly done = (): void => {
    this.unfinished -= 1;
    if (this.unfinished === 0) this.onIdle();
  };

  /** Resolves when all that was given so far is done. */
  idle(): Promise<void> {
    return this.run(() => undefined);
  }
}
