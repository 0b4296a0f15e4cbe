/** Workers that are lost, and rigs that do not start. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readRuns } from '../../features/report/folder.js';
import { joined } from '../../features/report/parts.js';
import { endPrograms, type Ended } from '../../simulators/testing/internal/program.js';
import { startFeatures } from '../report/thrown-away.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';

const FEATURE = `
@dice
Feature: Lost
  Scenario: Before
    When I send GET "/api/sessions"
    Then the answer is 200
  Scenario: Lost
    When the worker is killed
    Then the answer is 200
  Scenario: After
    When I send GET "/api/sessions"
    Then the answer is 200
`;

/** The worker is killed at the first \`KILLS\` attempts. */
const STEPS = `
import { appendFileSync, readFileSync } from 'node:fs';
import { When } from ${JSON.stringify(import.meta.resolve('@cucumber/cucumber'))};
When('the worker is killed', async function () {
  appendFileSync(process.env.KILLED, 'x');
  if (readFileSync(process.env.KILLED).length <= Number(process.env.KILLS)) process.kill(process.pid, 'SIGKILL');
  await this.call({ method: 'GET', path: '/api/sessions' });
});
`;

/** A rig that gives up like one whose dice server is not ready. */
const NO_RIG = `
if (process.argv[2] === 'rig') {
  process.stderr.write('the dice server was not ready within 30 s\\n');
  process.exit(1);
}
`;

describe('A run with workers', function () {
  this.timeout(120_000);
  let folder: string;

  beforeEach(() => {
    folder = newFolder();
    writeFileSync(join(folder, 'lost.feature'), FEATURE);
    writeFileSync(join(folder, 'steps.mjs'), STEPS);
    writeFileSync(join(folder, 'no-rig.mjs'), NO_RIG);
  });
  afterEach(endPrograms);

  const run = (workers: number, env: NodeJS.ProcessEnv): Promise<Ended> =>
    startFeatures(
      [
        ...['--parallel', String(workers), '--report', folder, '--import', join(folder, 'steps.mjs')],
        join(folder, 'lost.feature'),
      ],
      { KILLED: join(folder, 'killed'), ...env },
    ).ended;

  /** The result of each scenario in all parts of the run. */
  const results = (): readonly string[] => {
    const { planned, outcomes } = joined(right(readRuns(join(folder, 'simulated'))));
    return planned.map(({ key, name }) => `${name} ${outcomes.get(key)?.status ?? 'without a result'}`);
  };

  const LOSS = /worker 0 was killed by SIGKILL during the scenario "Lost" \(\S+lost\.feature:7\): (.*)\n/g;

  const losses = ({ stderr }: Ended): readonly string[] =>
    [...`${stderr}\n`.matchAll(LOSS)].map(([, text = '']) => text);

  it('names a lost worker, and runs its scenarios with another', async () => {
    const ended = await run(1, { KILLS: '1' });
    expect(losses(ended)).to.deep.equal(['new workers run the scenarios without a result, 2 of 3']);
    expect(ended.status, ended.stderr).to.equal(0);
    expect(results()).to.have.members(['Before passed', 'Lost passed', 'After passed']);
  });

  it('ends at the scenario that loses a second worker', async () => {
    const ended = await run(1, { KILLS: '2' });
    expect(losses(ended)).to.deep.equal([
      'new workers run the scenarios without a result, 2 of 3',
      'the run ends before the scenarios without a result, 2 of 2',
    ]);
    expect(ended.status, ended.stderr).to.equal(1);
    expect(results()).to.have.members(['Before passed', 'Lost without a result', 'After without a result']);
  });

  it('is refused in one sentence without a rig', async () => {
    const { status, stdout, stderr } = await run(4, {
      NODE_OPTIONS: `--import ${pathToFileURL(join(folder, 'no-rig.mjs')).href}`,
    });
    expect((stdout + stderr).trim()).to.equal(
      'the rig did not start: the dice server was not ready within 30 s',
    );
    expect(status).to.equal(2);
  });
});
