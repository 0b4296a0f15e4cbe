import type { Kind } from '../../src/contract/kinds.js';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Status } from '@cucumber/cucumber';
import { loadConfiguration, loadSupport, runCucumber } from '@cucumber/cucumber/api';
import { configurationOf } from '../../features/configuration.js';

export interface FeatureRun {
  readonly passed: boolean;
  readonly scenarios: number;
  /** Failed steps, without hooks. */
  readonly failedSteps: number;
}

export interface FeatureRunOptions {
  readonly urls: Readonly<Record<Kind, string>>;
  readonly controlUrl: string;
  /** A tag expression. */
  readonly tags: string;
  /** The beginning of the names of the scenarios. Undefined: all scenarios. */
  readonly scenario?: string | undefined;
  /** How long steps wait for an expected outcome, in milliseconds. */
  readonly patience: number;
}

/** The feature files with their words. Cucumber takes longer to read all files than to run most scenarios. */
const featureFiles = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readdirSync('features', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.feature'))
      .map((name) => join('features', name))
      .map((path) => [path, readFileSync(path, 'utf8').split(/\s+/)]),
  );

type RunFeatures = (options: FeatureRunOptions) => Promise<FeatureRun>;

const load = async (): Promise<RunFeatures> => {
  const environment = { stdout: new PassThrough().resume(), stderr: new PassThrough().resume() };
  const provided = configurationOf({
    ...{ bench: 'attach', profile: 'airbench', maker: 'GoDice', reports: 'reports', selection: [] },
    ...{ paths: [], tags: [], names: [], imports: [], formats: [] },
    ...{ retry: 0, parallel: 0, failFast: true, complete: false, isDryRun: false },
  });
  const { runConfiguration } = await loadConfiguration({ file: false, provided }, environment);
  const support = await loadSupport(runConfiguration, environment);
  const files = [...featureFiles()];
  return async ({ urls, controlUrl, tags, scenario, patience }) => {
    let scenarios = 0;
    let failedSteps = 0;
    const steps = new Set<string>();
    const names = scenario === undefined ? [] : [`^${scenario}`];
    const tagged: readonly string[] = tags.match(/@[\w-]+/g) ?? [];
    const paths = files
      .filter(([, words]) => tagged.some((tag) => words.includes(tag)))
      .map(([path]) => path);
    const maker = tags.includes('@pixels') ? 'Pixels' : 'GoDice';
    // The tags of the profile exclude dice of other makers than GoDice.
    const tagExpression =
      maker === 'Pixels' ? tags : `(${runConfiguration.sources.tagExpression}) and (${tags})`;
    const sources = { ...runConfiguration.sources, paths, tagExpression, names };
    const worldParameters = {
      ...runConfiguration.runtime.worldParameters,
      ...{ patience, maker, urls: { ...urls, control: controlUrl } },
    };
    const runtime = { ...runConfiguration.runtime, worldParameters };
    // The results of a broken server must not be in a report.
    const silent = { ...runConfiguration.formats, stdout: 'progress', files: {} };
    const plugins = { specifiers: [], options: {} };
    const configuration = { ...runConfiguration, formats: silent, plugins, sources, runtime, support };
    const { success } = await runCucumber(configuration, environment, (envelope) => {
      const { testCase, testStepFinished, testCaseFinished } = envelope;
      for (const step of testCase?.testSteps ?? []) if (step.pickleStepId !== undefined) steps.add(step.id);
      const failed = testStepFinished?.testStepResult.status === Status.FAILED;
      if (failed && steps.has(testStepFinished.testStepId)) failedSteps += 1;
      if (testCaseFinished !== undefined) scenarios += 1;
    });
    return { passed: success, scenarios, failedSteps };
  };
};

let loaded: Promise<RunFeatures> | undefined;

/**
 * Loads a function that runs scenarios in this process, against servers that are up. The steps are loaded once for all test
 * files of the process, since Cucumber does not recognise steps that are loaded again.
 */
export const loadFeatures = (): Promise<RunFeatures> => (loaded ??= load());
