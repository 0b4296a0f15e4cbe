/** Counts why scenarios were skipped, and sees to it that a run of none does not pass. */
import { Status } from '@cucumber/cucumber';
import type { Plugin } from '@cucumber/cucumber/api';
import { CANNOT_RUN } from '../bench/cannot-run.js';
import { SKIPPED } from '../actors/skip.js';

/** The reasons of a run's skipped scenarios, by scenario. */
class Skips {
  private readonly reasons = new Map<string, string>();
  private cases = 0;
  /** A hook around the scenarios failed: that no scenario was run is a failure then. */
  private broken = false;

  finished(): void {
    this.cases += 1;
  }

  logged(scenario: string, text: string): void {
    if (text.startsWith(SKIPPED)) this.reasons.set(scenario, text.slice(SKIPPED.length));
  }

  failed(): void {
    this.broken = true;
  }

  get noneRan(): boolean {
    return !this.broken && this.reasons.size === this.cases;
  }

  /** `skipped 41: needs faults on the air (simulation only)`, the most frequent first. */
  get lines(): readonly string[] {
    const counts = new Map<string, number>();
    for (const reason of this.reasons.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return [...counts]
      .sort(([, one], [, other]) => other - one)
      .map(([reason, count]) => `skipped ${count}: ${reason}`);
  }
}

const plugin: Plugin = {
  type: 'plugin',
  coordinator: ({ on, environment: { stderr } }) => {
    const skips = new Skips();
    on('message', ({ attachment, testCaseFinished, testRunHookFinished }) => {
      if (attachment?.testCaseStartedId !== undefined) {
        skips.logged(attachment.testCaseStartedId, attachment.body);
      }
      if (testCaseFinished !== undefined) skips.finished();
      if (testRunHookFinished?.result.status === Status.FAILED) skips.failed();
    });
    return () => {
      for (const line of skips.lines) stderr.write(`${line}\n`);
      if (!skips.noneRan) return;
      stderr.write('no scenario was run\n');
      // Later than what cucumber makes of a run in which nothing failed.
      process.once('exit', () => (process.exitCode = CANNOT_RUN));
    };
  },
};

export default plugin;
