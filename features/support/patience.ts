/** How long the features wait for what they expect. */
import { Status } from '@cucumber/cucumber';

/** After so many failed scenarios in a row, the server is taken for broken. */
const MOST_FAILURES = 5;

/** How long a broken server is waited for, milliseconds. */
const BROKEN_MS = 200;

/** The patience with the servers of a run: little with a broken one, until a scenario passes again. */
export class Patience {
  private failures = 0;

  observe(status: string | undefined): void {
    if (status === Status.FAILED) this.failures += 1;
    if (status === Status.PASSED) this.failures = 0;
  }

  /** `usual`: the patience with a server that works, milliseconds. */
  of(usual: number): number {
    return this.failures < MOST_FAILURES ? usual : Math.min(usual, BROKEN_MS);
  }
}
