/** Errors of every origin in steps and hooks, with messages that Cucumber's parser of stacks could not read within hours. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { readRecordedRun } from '../../features/report/folder.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { startFeatures, urlFlags } from '../report/thrown-away.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';

const TEXT = `it was ${'"'.repeat(300)}`;
const FRAME = '\n    at somewhere (file:///steps.js:1:1)';

/** The code of a step, and the text about its failure. */
const CASES: Readonly<Record<string, readonly [code: string, reason: string]>> = {
  'an error of values': ['throw new Error(TEXT)', TEXT],
  'an error without a stack': ['throw Object.assign(new Error(TEXT), { stack: undefined })', TEXT],
  'an error whose stack is its message': [
    'throw Object.assign(new RangeError(TEXT), { stack: TEXT })',
    `RangeError: ${TEXT}`,
  ],
  'an error with frames in its message': ['throw new Error(TEXT + FRAME)', TEXT + FRAME],
  'an error of another engine': ['throw Object.assign(new Error(TEXT), { stacktrace: TEXT })', TEXT],
  'an assertion': [
    'throw Object.assign(new Error(TEXT), { name: "AssertionError", actual: TEXT, expected: 1 })',
    TEXT,
  ],
  'a text': ['throw TEXT', `Error: ${TEXT}`],
  'a rejection': ['return Promise.reject(Object.assign(new Error(TEXT), { stack: TEXT }))', TEXT],
  'an exception of a listener': [
    'setTimeout(() => { throw Object.assign(new Error(TEXT), { stack: TEXT }); }); return new Promise(() => {})',
    TEXT,
  ],
  'a rejection that nobody awaits': [
    'void Promise.reject(Object.assign(new Error(TEXT), { stack: TEXT })); return new Promise(() => {})',
    TEXT,
  ],
};

const STEPS = `
import { Before, When } from ${JSON.stringify(import.meta.resolve('@cucumber/cucumber'))};
const [TEXT, FRAME] = ${JSON.stringify([TEXT, FRAME])};
Before({ tags: '@hook' }, () => { throw Object.assign(new Error(TEXT), { stack: TEXT }); });
${Object.entries(CASES)
  .map(([name, [code]]) => `When(${JSON.stringify(`it fails by ${name}`)}, () => { ${code}; });`)
  .join('\n')}
`;

const FEATURE = `
@dice
Feature: Failing
${Object.keys(CASES)
  .map((name) => `  Scenario: ${name}\n    When it fails by ${name}`)
  .join('\n')}
  @hook
  Scenario: a hook
    When it fails by a text
`;

describe('A scenario fails at once, with the whole message, by', function () {
  this.timeout(60_000);
  const reasons = new Map<string, string>();

  before(async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'failing.feature'), FEATURE);
    writeFileSync(join(folder, 'steps.mjs'), STEPS);
    const urls = await urlFlags(Program.rig(['--pace', 'fast', '--data-dir', folder]));
    const args = ['--report', folder, '--import', join(folder, 'steps.mjs'), join(folder, 'failing.feature')];
    await startFeatures([...urls, ...args]).ended;
    const { run } = right(readRecordedRun(join(folder, 'attach', 'messages.ndjson')));
    for (const { key, name } of run.planned) reasons.set(name, run.outcomes.get(key)?.reason ?? 'no result');
  });
  after(endPrograms);

  for (const [name, [, reason]] of Object.entries({ ...CASES, 'a hook': ['', TEXT] as const })) {
    it(name, () => {
      expect(reasons.get(name)).to.equal(reason);
    });
  }
});
