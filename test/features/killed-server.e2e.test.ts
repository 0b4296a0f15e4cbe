/** Servers that end while the features run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Finding, FINDING } from '../../features/report/facts.js';
import { parseMessages } from '../../features/report/messages.js';
import { readRun, type Outcome } from '../../features/report/run.js';
import { startFeatures } from '../report/thrown-away.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

const FEATURE = `
Feature: Killed

  @dice
  Scenario: A server is killed
    Given a connected die and a client of the event stream
    And a program is killed
    Then each client receives RollStart of die 1

  @dice
  Scenario: A die
    When I send GET "/api/sessions"
    Then the answer is 200

  @clock
  Scenario: A clock
    When I send GET "/api/devices"
    Then the answer is 200
`;

const STEPS = `
import { Given } from ${JSON.stringify(import.meta.resolve('@cucumber/cucumber'))};
Given('a program is killed', () => { process.kill(Number(process.env['KILLED_PID']), 'SIGKILL'); });
`;

describe('A server that is killed during a run', () => {
  let folder: string;
  let air: Program;
  let dice: Program;
  let clock: Program;

  beforeEach(async () => {
    folder = newFolder();
    air = Program.air(['--pace', 'fast', '--dice', '0', '--clocks', '0']);
    const hci = await air.url('virtual radio');
    dice = Program.server('dice', hci);
    clock = Program.server('clock', hci);
  });
  afterEach(endPrograms);

  const run = async (killed: Program) => {
    writeFileSync(join(folder, 'killed.feature'), FEATURE);
    writeFileSync(join(folder, 'steps.mjs'), STEPS);
    const { status, stderr } = await startFeatures(
      [
        ...['--dice', await dice.url('dice server'), '--clock', await clock.url('clock server')],
        ...['--control', await air.url('control API'), '--report', folder],
        ...['--import', join(folder, 'steps.mjs'), join(folder, 'killed.feature')],
      ],
      { KILLED_PID: String(killed.process.pid) },
    ).ended;
    const file = join(folder, 'attach', 'messages.ndjson');
    const envelopes = right(parseMessages(file, readFileSync(file, 'utf8')));
    const findings = envelopes.flatMap(({ attachment }) =>
      attachment?.fileName === FINDING ? [right(Finding.decode(JSON.parse(attachment.body))).text] : [],
    );
    const outcomes = [...readRun(envelopes).outcomes.values()].map(
      ({ status, reason }: Outcome) => `${status}: ${reason}`,
    );
    return { status, stderr, findings, outcomes };
  };

  it('fails its scenarios with one sentence; those of the other server go on', async () => {
    const sentence = `the dice server at ${await dice.url('dice server')} does not answer any more: connection refused`;
    const { status, stderr, findings, outcomes } = await run(dice);
    expect(outcomes).to.deep.equal([`failed: ${sentence}`, `failed: ${sentence}`, 'passed: ']);
    expect(findings).to.have.lengthOf(1);
    expect(findings[0]).to.match(
      /^the dice server at \S+ does not answer any more: connection refused, after its last answer at \S+ UTC, during the scenario "A server is killed"$/,
    );
    expect(stderr).to.contain(findings[0]);
    expect(status).to.equal(1);
  });

  it('ends the run if no scenario can go on without it, and leaves the reports', async () => {
    const sentence = `the control API at ${await air.url('control API')} does not answer any more: connection refused`;
    const { status, findings, outcomes } = await run(air);
    const ended = `skipped: the run has ended: ${sentence}`;
    expect(outcomes).to.deep.equal([`failed: ${sentence}`, ended, ended]);
    expect(findings.at(-1)).to.equal(`the run ended before its last scenario: ${sentence}`);
    expect(status).to.equal(2);
  });
});
