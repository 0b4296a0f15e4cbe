import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { version } from '../../src/system/package.js';
import { requireProgram } from '../support/require.js';
import { Walk } from '../support/walk.js';
import { QUICK } from './rows.js';
import { describeWalks } from './walks.js';

describeWalks('The walks of the documents', QUICK);

describe('npx in the clone', () => {
  it('finds the program that was built', async function () {
    requireProgram(this, 'npx');
    const { stdout } = await promisify(execFile)('npx', ['airbench', '--version']);
    expect(stdout.trim()).to.equal(version);
  }).timeout(30_000);
});

describe('A walk', () => {
  for (const [shown, language] of [
    ['{"a":2}', 'json'],
    ['{"a":1,"b":null}', 'json'],
    ['{"a":…}…}', ''],
  ] as const) {
    it(`fails where the page shows something else: ${shown}`, async function () {
      requireProgram(this, 'bash');
      const walk = new Walk({});
      const fence = '```';
      const page = `${fence}sh\necho '{"a":1}'\n${fence}\n\n${fence}${language}\n${shown}\n${fence}\n`;
      const outcome = await walk.through(page).then(
        () => 'passed',
        (error: unknown) => String(error),
      );
      await walk.end();
      expect(outcome).to.contain('AssertionError');
    });
  }
});
