/** The reports after runs that are refused, cannot begin or are interrupted. No report is lost or damaged. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { lockBench } from '../../features/bench/lock.js';
import { readRuns } from '../../features/report/folder.js';
import { startFeatures, urlFlags } from './thrown-away.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';
import { parseXml } from '../support/xml.js';
import { messagesOf } from './sample-messages.js';

const FEATURE = `
@dice
Feature: Thrown away
  Scenario: All is well
    When I send GET "/api/sessions"
    Then the answer is 200
  Scenario: Nobody answers
    When it waits for ever
`;

/** Steps outside the project import its Cucumber by its URL. The test waits for `waiting  for-ever`. */
const STEPS = `
import { When } from ${JSON.stringify(import.meta.resolve('@cucumber/cucumber'))};
When('it waits for ever', () => new Promise(() => process.stdout.write('\\nwaiting  for-ever\\n')));
`;

const NOWHERE = 'http://127.0.0.1:9';

describe('An unfinished run of the features', () => {
  let folder: string;
  let reports: string;
  let bench: string;

  before(() => {
    folder = newFolder();
    bench = join(folder, 'bench.json');
    writeFileSync(bench, JSON.stringify({ servers: { dice: { url: NOWHERE } }, control: NOWHERE }));
  });

  after(endPrograms);

  /** The last run, an earlier run, and a run of another process that is under way. */
  const KEPT = {
    'junit.xml': '<testsuite name="the last run"></testsuite>',
    'messages.ndjson': messagesOf(200, [{ name: 'Two', status: 'PASSED' }]),
    'earlier/1.ndjson': messagesOf(100, [{ name: 'One', status: 'PASSED' }]),
    [`run-${process.pid}/messages.ndjson`]: '{"meta":{}}\n{"sour',
    [`run-${process.pid}/junit.xml`]: '',
  };

  beforeEach(() => {
    reports = mkdtempSync(join(folder, 'reports-'));
    for (const profile of ['attach', 'simulated']) {
      for (const [name, text] of Object.entries(KEPT)) {
        mkdirSync(join(reports, profile, name, '..'), { recursive: true });
        writeFileSync(join(reports, profile, name), text);
      }
    }
  });

  const filesOf = (profile: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(join(reports, profile), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map((file) => [
          file.slice(join(reports, profile).length + 1).replaceAll(sep, '/'),
          readFileSync(file, 'utf8'),
        ]),
    );

  const start = (args: readonly string[]): Program => startFeatures(['--report', reports, ...args]);

  describe('leaves all reports unchanged if', () => {
    const attached = (file: string): readonly string[] => [
      '--bench',
      file,
      'features/clock/settings.feature',
    ];
    const none = ['--parallel', '0', '--tags', '@no-such-tag'];
    const cases: readonly (readonly [string, string, () => readonly string[], string])[] = [
      ['its servers are out of reach', 'attach', () => attached(bench), 'does not answer'],
      ['there is no bench file', 'attach', () => attached(`${bench}.gone`), 'no such file'],
      ['it has no scenario', 'simulated', () => none, 'no scenario has the tag @no-such-tag'],
    ];
    for (const [what, profile, args, message] of cases) {
      it(what, async () => {
        const { status, stderr } = await start(args()).ended;
        expect(stderr).to.contain(message);
        expect(status).to.equal(2);
        expect(filesOf(profile)).to.deep.equal(KEPT);
      });
    }

    it('another run is on its bench', async () => {
      const release = lockBench(bench);
      const { status, stderr } = await start(attached(bench)).ended;
      release();
      expect(stderr).to.contain(`is in use by process ${process.pid}`);
      expect(status).to.equal(2);
      expect(filesOf('attach')).to.deep.equal(KEPT);
    });
  });

  describe('for a signal', () => {
    let urls: readonly string[];

    before(async () => {
      const rig = Program.rig(['--pace', 'fast', '--data-dir', folder]);
      urls = await urlFlags(rig);
      writeFileSync(join(folder, 'thrown-away.feature'), FEATURE);
      writeFileSync(join(folder, 'steps.mjs'), STEPS);
    });

    const thrownAway = (): readonly string[] => [
      ...['--import', join(folder, 'steps.mjs')],
      join(folder, 'thrown-away.feature'),
    ];

    it('SIGTERM ends its workers', async function () {
      requireUnix(this, 'signals that a program may hear');
      const run = start(['--parallel', '1', ...thrownAway()]);
      await run.url('waiting');
      // Workers share the output, so this waits for them too.
      const { stdout } = await run.signal('SIGTERM');
      expect(stdout).to.contain('waiting');
    });

    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      it(`${signal} keeps its results, on the page too`, async function () {
        if (signal === 'SIGINT') requireUnix(this, 'signals that a program may hear');
        const run = start([...urls, ...thrownAway()]);
        await run.url('waiting');
        await run.signal(signal);
        const report = startFeatures(['report', reports]);
        const page = join(reports, 'acceptance.html');
        expect(await report.ended).to.deep.equal({ status: 0, stdout: `not accepted: ${page}`, stderr: '' });
        const { 'messages.ndjson': messages, ...others } = filesOf('attach');
        expect(messages).to.contain('{"testCaseFinished"').and.not.contain('{"testRunFinished"');
        expect(others['earlier/1.ndjson']).to.equal(KEPT['earlier/1.ndjson']);
        const [, ...cases] = parseXml(others['junit.xml'] ?? '').children;
        expect(cases).to.have.lengthOf(1);
        const runs = right(readRuns(join(reports, 'attach')));
        expect(runs.map(({ run: { interrupted } }) => interrupted)).to.deep.equal([false, false, true]);
        expect([...(runs[2]?.run.outcomes.values() ?? [])]).to.have.lengthOf(1);
      });
    }
  });
});
