/** The problem of a radio whose end is reported in steps: the adapter goes off, then it is gone, then its driver or daemon is. */
import type { Cancel, TimeSource } from '../async/time.js';
import { problemText, type Problem } from './problem.js';

/** From a change of the problem until it is taken for the reason, ms: longer than a restart of bluetoothd and its discovery take. */
export const SETTLE_MS = 2_500;

const UNSETTLED: Problem = {
  what: 'the Bluetooth adapter has just gone off',
  fix: 'try again in 3 s, when the reason is known',
};

export interface SettledProblemOptions {
  readonly time: TimeSource;
  /** The present problem; undefined without a problem. */
  readonly read: () => Problem | undefined;
  /** Called with each new reason, and with undefined when a radio for which one was reported is on again. */
  readonly settled: (problem: Problem | undefined) => void;
}

export class SettledProblem {
  private current: Problem | undefined;
  private reported: string | undefined;
  private cancel: Cancel | undefined;

  constructor(private readonly options: SettledProblemOptions) {}

  /** The last reason; undefined: there is no problem. */
  get value(): Problem | undefined {
    return this.current;
  }

  /** Takes note that the problem may have changed. The end of a problem counts at once. */
  update(): void {
    const problem = this.options.read();
    if (problem === undefined) this.settle();
    else {
      this.current ??= UNSETTLED;
      if (problemText(problem) !== problemText(this.current))
        this.cancel ??= this.options.time.after(SETTLE_MS, () => this.settle());
    }
  }

  /** Takes the problem as it looks now for the reason. */
  settle(): void {
    this.end();
    const problem = this.options.read();
    const text = problem && problemText(problem);
    this.current = problem;
    if (text === this.reported) return;
    this.reported = text;
    this.options.settled(problem);
  }

  end(): void {
    this.cancel?.();
    this.cancel = undefined;
  }
}
