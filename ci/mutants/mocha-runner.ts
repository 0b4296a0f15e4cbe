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
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { LOAD } from './fresh-modules.js';

declare global {
  /** State that instrumented code and the runner of its tests share. */
  var __stryker__: InstrumenterContext | undefined;
}

/** Milliseconds: a test of what is pure takes a few, one of a mutant may never end. */
const TIMEOUT = 5000;

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

  readonly #context: InstrumenterContext = (globalThis.__stryker__ ??= {});
  readonly #files: readonly string[];
  #mocha: Mocha | undefined;
  #loads = 0;

  constructor(options: StrykerOptions) {
    this.#files = (options as StrykerOptions & MochaRunnerOptions).tests;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun({ disableBail }: DryRunOptions): Promise<DryRunResult> {
    const tests = await this.#run(await this.#load(), disableBail);
    const { mutantCoverage } = this.#context;
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, disableBail, hitLimit, mutantActivation, reloadEnvironment, testFilter } = options;
    const context = this.#context;
    if (hitLimit === undefined) delete context.hitLimit;
    else context.hitLimit = hitLimit;
    context.hitCount = 0;
    if (mutantActivation === 'static') context.activeMutant = activeMutant.id;
    else delete context.activeMutant;
    if (reloadEnvironment) this.#mocha = undefined;
    try {
      this.#mocha ??= await this.#load();
    } catch (error) {
      return { status: MutantRunStatus.Error, errorMessage: String(error) };
    }
    context.activeMutant = activeMutant.id;
    this.#mocha.grep(testFilter === undefined ? /^/ : anyOf(testFilter));
    const tests = await this.#run(this.#mocha, disableBail);
    return toMutantRunResult(
      determineHitLimitReached(context.hitCount, hitLimit) ?? { status: DryRunStatus.Complete, tests },
    );
  }

  /** The tests and what they test as new modules, which is much quicker than a new process. */
  async #load(): Promise<Mocha> {
    const context = this.#context;
    const mocha = new Mocha({ timeout: TIMEOUT, reporter: Mocha.reporters.Base });
    mocha.cleanReferencesAfterRun(false);
    mocha.suite.beforeEach(function () {
      const title = this.currentTest?.fullTitle();
      if (title !== undefined) context.currentTestId = title;
    });
    this.#loads += 1;
    for (const file of this.#files) {
      mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, file, mocha);
      await import(`${pathToFileURL(file).href}?${LOAD}=${this.#loads}`);
    }
    return mocha;
  }

  #run(mocha: Mocha, disableBail: boolean): Promise<TestResult[]> {
    setBail(mocha.suite, !disableBail);
    return new Promise((resolve) => {
      const results: TestResult[] = [];
      mocha
        .run(() => resolve(results))
        .on('pass', (test) => results.push({ ...timed(test), status: TestStatus.Success }))
        .on('pending', (test) => results.push({ ...timed(test), status: TestStatus.Skipped }))
        .on('fail', (test, error: unknown) =>
          results.push({ ...timed(test), status: TestStatus.Failed, failureMessage: String(error) }),
        );
    });
  }
}

register('./fresh-modules.js', import.meta.url);

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mocha', MochaRunner)];
