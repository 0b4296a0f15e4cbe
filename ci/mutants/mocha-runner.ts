/** Runs Mocha's tests for StrykerJS, whose own runner does not know Mocha 12: by Mocha's public interface. */
import type { InstrumenterContext, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
  type DryRunOptions,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';

declare global {
  /** What instrumented code and the runner of its tests tell each other. */
  var __stryker__: InstrumenterContext | undefined;
}

/** Milliseconds: a test of what is pure takes a few, one of a mutant may never end. */
const TIMEOUT = 2000;

/** Of the options of the configuration, these are ours. */
interface MochaRunnerOptions {
  /** The files of the tests. */
  readonly tests: readonly string[];
}

export const strykerValidationSchema = {
  properties: { tests: { type: 'array', items: { type: 'string' } } },
};

const setBail = (suite: Mocha.Suite, bail: boolean): void => {
  suite.bail(bail);
  for (const inner of suite.suites) setBail(inner, bail);
};

const anyOf = (titles: readonly string[]): RegExp =>
  new RegExp(titles.map((title) => `^${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`).join('|'));

const timed = (test: Mocha.Runnable) => ({
  id: test.fullTitle(),
  name: test.fullTitle(),
  timeSpentMs: test.duration ?? 0,
});

class MochaRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);

  readonly #mocha = new Mocha({ timeout: TIMEOUT, reporter: Mocha.reporters.Base });
  readonly #context: InstrumenterContext = (globalThis.__stryker__ ??= {});
  #loaded = false;

  constructor(options: StrykerOptions) {
    const context = this.#context;
    this.#mocha.cleanReferencesAfterRun(false);
    this.#mocha.suite.beforeEach(function () {
      const title = this.currentTest?.fullTitle();
      if (title !== undefined) context.currentTestId = title;
    });
    for (const file of (options as StrykerOptions & MochaRunnerOptions).tests) this.#mocha.addFile(file);
  }

  capabilities() {
    // Modules are loaded once: for another mutant of what they do then it takes another process.
    return { reloadEnvironment: false };
  }

  async dryRun({ disableBail }: DryRunOptions): Promise<DryRunResult> {
    await this.#load();
    const tests = await this.#run(disableBail);
    const { mutantCoverage } = this.#context;
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, disableBail, hitLimit, mutantActivation, testFilter } = options;
    const context = this.#context;
    if (hitLimit === undefined) delete context.hitLimit;
    else context.hitLimit = hitLimit;
    context.hitCount = 0;
    if (mutantActivation === 'static') context.activeMutant = activeMutant.id;
    try {
      await this.#load();
    } catch (error) {
      return { status: MutantRunStatus.Error, errorMessage: String(error) };
    }
    context.activeMutant = activeMutant.id;
    this.#mocha.grep(testFilter === undefined ? /^/ : anyOf(testFilter));
    const tests = await this.#run(disableBail);
    return toMutantRunResult(
      determineHitLimitReached(context.hitCount, hitLimit) ?? { status: DryRunStatus.Complete, tests },
    );
  }

  async #load(): Promise<void> {
    if (this.#loaded) return;
    await this.#mocha.loadFilesAsync();
    this.#loaded = true;
  }

  #run(disableBail: boolean): Promise<TestResult[]> {
    setBail(this.#mocha.suite, !disableBail);
    return new Promise((resolve) => {
      const results: TestResult[] = [];
      this.#mocha
        .run(() => resolve(results))
        .on('pass', (test) => results.push({ ...timed(test), status: TestStatus.Success }))
        .on('pending', (test) => results.push({ ...timed(test), status: TestStatus.Skipped }))
        .on('fail', (test, error: unknown) =>
          results.push({ ...timed(test), status: TestStatus.Failed, failureMessage: String(error) }),
        );
    });
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mocha', MochaRunner)];
