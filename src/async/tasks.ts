/** Tasks that run once, or one at a time. */

/** A value that is made when it is first needed, and kept; what it was made of is released. */
export const lazily = <A>(make: () => A): (() => A) => {
  let state: { readonly make: () => A } | { readonly value: A } = { make };
  return () => {
    if ('make' in state) state = { value: state.make() };
    return state.value;
  };
};

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
