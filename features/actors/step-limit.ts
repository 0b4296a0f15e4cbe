/** The limit of a step as a whole. Each wait in a step has a shorter one. */
import { systemTime, type Cancel, type TimeSource } from '../../src/async/time.js';

const STEP_MS = 60_000;

export class StepLimit {
  private cancel: Cancel = () => undefined;
  private expire = (): void => undefined;

  constructor(private readonly time: TimeSource = systemTime) {}

  private begin(): void {
    this.cancel();
    this.cancel = this.time.after(STEP_MS, this.expire);
  }

  /** Does a whole step or hook; rejects after 60 s. */
  async during<A>(step: () => Promise<A>): Promise<A> {
    const late = new Promise<never>((_, reject) => {
      this.expire = () => reject(new Error(`it did not end within ${STEP_MS / 1000} s`));
    });
    this.begin();
    try {
      return await Promise.race([step(), late]);
    } finally {
      this.cancel();
    }
  }

  /** Does the action of an actor, which has a limit of its own; then the limit of the step begins again. */
  async except<A>(action: () => Promise<A>): Promise<A> {
    this.cancel();
    try {
      return await action();
    } finally {
      this.begin();
    }
  }
}
