/** `airbench features --steps`: the steps, from a dry run of all scenarios. */
import { PassThrough } from 'node:stream';
import type { loadConfiguration, runCucumber } from '@cucumber/cucumber/api';
import * as E from 'fp-ts/lib/Either.js';
import { packageFile } from '../src/system/package.js';
import { decodeEnvelope } from './report/messages.js';
import { StepReader } from './report/steps.js';
import { stepsText } from './report/steps-text.js';

interface Cucumber {
  readonly loadConfiguration: typeof loadConfiguration;
  readonly runCucumber: typeof runCucumber;
}

/** The steps with all these words; without words, all steps. */
export const listSteps = async (cucumber: Cucumber, words: readonly string[]): Promise<string> => {
  const silent = new PassThrough().resume();
  const environment = { cwd: packageFile(''), stdout: silent, stderr: silent };
  const provided = {
    paths: [packageFile('features')],
    import: ['support', 'steps'].map((folder) => packageFile(`dist/features/${folder}/*.js`)),
    format: ['summary'],
    dryRun: true,
  };
  const { runConfiguration } = await cucumber.loadConfiguration({ file: false, provided }, environment);
  const reader = new StepReader();
  await cucumber.runCucumber(runConfiguration, environment, (envelope) => {
    const decoded = decodeEnvelope(envelope);
    if (E.isRight(decoded)) reader.read(decoded.right);
  });
  return stepsText(reader.steps, words);
};
