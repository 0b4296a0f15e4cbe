/** Runs Mocha's tests for StrykerJS by Mocha's public interface, since the runner of StrykerJS does not support Mocha 12. */
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { LOAD } from './fresh-modules.mjs';

/** Milliseconds: a test of pure code takes a few, but a test of a mutant may never end. */
const TIMEOUT = 5000;

/** Our own option of the configuration: the files of the tests. */
export const strykerValidationSchema = {
  properties: { tests: { type: 'array', items: { type: 'string' } } },
};

const setBail = (suite, bail) => {
  suite.bail(bail);
  for (const inner of suite.suites) setBail(inner, bail);
};

const anyOf = (titles) =>
  new RegExp(titles.map((title) => `^${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`).join('|'));

const timed = (test) => ({
  id: test.fullTitle(),
  name: test.fullTitle(),
  timeSpentMs: test.duration ?? 0,
});

class MochaRunner {
  static inject = tokens(commonTokens.options);

  /** The shared state of instrumented code and the test runner. */
  #context = (globalThis.__stryker__ ??= {});
  #files;
  #mocha;
  #loads = 0;

  constructor({ tests }) {
    this.#files = tests;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun({ disableBail }) {
    const tests = await this.#run(await this.#load(), disableBail);
    const { mutantCoverage } = this.#context;
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun(options) {
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

  /** Loads the tests and the code under test as new modules, which is much quicker than a new process. */
  async #load() {
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

  #run(mocha, disableBail) {
    setBail(mocha.suite, !disableBail);
    return new Promise((resolve) => {
      const results = [];
      mocha
        .run(() => resolve(results))
        .on('pass', (test) => results.push({ ...timed(test), status: TestStatus.Success }))
        .on('pending', (test) => results.push({ ...timed(test), status: TestStatus.Skipped }))
        .on('fail', (test, error) =>
          results.push({ ...timed(test), status: TestStatus.Failed, failureMessage: String(error) }),
        );
    });
  }
}

register('./fresh-modules.mjs', import.meta.url);

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mocha', MochaRunner)];
