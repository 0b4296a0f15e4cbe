/** Counts the reasons of skipped scenarios, and fails a run that skips all scenarios or ends before its last scenario. */
import { Status } from '@cucumber/cucumber';
import type { Plugin } from '@cucumber/cucumber/api';
import { CANNOT_RUN } from '../bench/cannot-run.js';
import { ENDED, SKIPPED } from '../actors/skip.js';

/** The reasons of a run's skipped scenarios, by scenario. */
class Skips {
  private readonly reasons = new Map<string, string>();
  private cases = 0;
  /** A hook around the run has failed, so the run fails anyway. */
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

  get allSkipped(): boolean {
    return !this.broken && this.reasons.size === this.cases;
  }

  /** Whether the run has ended before its last scenario. */
  get ended(): boolean {
    return [...this.reasons.values()].some((reason) => reason.startsWith(ENDED));
  }

  /** `skipped 41: needs faults on the air (simulation only)`, the most frequent first. */
  get lines(): readonly string[] {
    const counts = new Map<string, number>();
    for (const reason of this.reasons.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `skipped ${count}: ${reason}`);
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
      if (skips.allSkipped) stderr.write('no scenario was run\n');
      else if (!skips.ended) return;
      // Cucumber sets the status of a passing run before the exit.
      process.once('exit', () => (process.exitCode = CANNOT_RUN));
    };
  },
};

export default plugin;
