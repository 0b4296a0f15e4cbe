/** Tasks that run once, or one at a time. */
import { isolated } from './defects.js';

/** A value that is made when it is first needed, and kept; `make` is released then. */
export const lazily = <A>(make: () => A): (() => A) => {
  let state: { readonly make: () => A } | { readonly value: A } = { make };
  return () => {
    if ('make' in state) state = { value: state.make() };
    return state.value;
  };
};

/** Runs tasks one at a time, in their order. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private unfinished = 0;
  private readonly onIdle: () => void;

  /** `onIdle` is called whenever all tasks are done. */
  constructor(onIdle: () => void = () => undefined) {
    this.onIdle = isolated(onIdle);
  }

  /** Tasks that run or wait. */
  get size(): number {
    return this.unfinished;
  }

  /** Runs `task` when all earlier tasks have succeeded or failed; a failure does not affect the next tasks. */
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

  /** Resolves when all earlier tasks are done. */
  idle(): Promise<void> {
    return this.run(() => undefined);
  }
}
