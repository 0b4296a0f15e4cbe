import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { startFeatures, urlFlags } from './thrown-away.js';

const FEATURE = `
@dice @D-json
Feature: Thrown away
  Scenario: All is well
    When I send GET "/api/sessions"
    Then the answer is 200
`;

describe('A run that verifies a part of the lines', () => {
  let folder: string;
  let args: readonly string[];

  before(async () => {
    folder = newFolder();
    writeFileSync(join(folder, 'thrown-away.feature'), FEATURE);
    const urls = await urlFlags(Program.rig(['--pace', 'fast', '--data-dir', folder]));
    args = [...urls, '--report', folder, join(folder, 'thrown-away.feature')];
  });
  after(endPrograms);

  for (const [flags, expected] of [
    [[], 0],
    [['--complete'], 3],
  ] as const)
    it(`ends with status ${expected} ${flags.length === 0 ? 'by default' : 'with --complete'}`, async () => {
      const { status, stderr } = await startFeatures([...args, ...flags]).ended;
      expect(stderr)
        .to.contain(`partly verified: ${join(folder, 'acceptance.html')}`)
        .and.match(/\d\d of \d\d+ claimed lines are not verified by this run/)
        .and.contain('the run was narrowed to 1 scenario');
      expect(status).to.equal(expected);
    });
});
