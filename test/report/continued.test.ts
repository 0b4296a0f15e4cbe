import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { remainingScenarios, stillRemaining } from '../../features/report/continued.js';
import { joined, partsOf } from '../../features/report/parts.js';
import type { RunFacts } from '../../features/report/facts.js';
import type { Run } from '../../features/report/run.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { messagesOf, runOf, type Sample } from './sample-messages.js';

const ONE: Sample = { name: 'One', status: 'PASSED' };
const TWO: Sample = { name: 'Two', status: 'PASSED' };
const LEFT: Sample = { ...TWO, unfinished: true };

/** The start of the sample run of second 100. */
const START = 100_500;
const CONTINUES: Partial<RunFacts> = { continues: START };

const runsOf = (recorded: readonly Run[]): readonly Run[] =>
  partsOf(recorded.map((run) => ({ run, file: '' }))).map(joined);

describe('A run that continues another', () => {
  it('is one run with it', () => {
    const [run, ...others] = runsOf([runOf(100, [ONE, LEFT]), runOf(200, [TWO], CONTINUES)]);
    expect(others).to.be.empty;
    expect(run?.startedAt).to.equal(START);
    expect([...(run?.outcomes.values() ?? [])].map(({ status }) => status)).to.deep.equal([
      'passed',
      'passed',
    ]);
    expect(run?.planned.map(({ name }) => name)).to.deep.equal(['One', 'Two']);
  });

  it('may be continued itself', () => {
    const second = runOf(200, [LEFT], CONTINUES);
    const third = runOf(300, [TWO], { continues: second.startedAt });
    expect(runsOf([runOf(100, [ONE, LEFT]), second, third])).to.have.lengthOf(1);
  });

  it('stays apart from runs that it does not continue', () => {
    expect(
      runsOf([runOf(50, [ONE]), runOf(100, [ONE, LEFT]), runOf(200, [TWO], CONTINUES)]),
    ).to.have.lengthOf(2);
  });
});

describe('The rest of a run', () => {
  const write = (...samples: readonly Sample[]): string => {
    const reports = newFolder();
    mkdirSync(join(reports, 'attach'));
    writeFileSync(
      join(reports, 'attach', 'messages.ndjson'),
      messagesOf(100, samples, { selection: ["--tags '@D-led'"] }),
    );
    return reports;
  };

  it('is each planned scenario without a result, with the selection of the run', () => {
    const rest = right(remainingScenarios(write(ONE, LEFT), 'attach', '.'));
    expect(rest.scenarios.map(({ name }) => name)).to.deep.equal(['Two']);
    expect(rest).to.deep.include({ continues: START, selection: ["--tags '@D-led'"] });
    expect(rest.files).to.have.lengthOf(1);
  });

  it('is refused with the reason if there is nothing to resume', () => {
    expect(remainingScenarios(write(ONE, TWO), 'attach', '.')).to.deep.equal(
      E.left('there is nothing to resume: each scenario of the last run has a result'),
    );
    expect(remainingScenarios(write({ ...LEFT, uri: 'gone.feature' }), 'attach', '.')).to.deep.equal(
      E.left('there is nothing to resume: the feature files of the last run no longer exist'),
    );
    const reports = newFolder();
    expect(remainingScenarios(reports, 'attach', '.')).to.deep.equal(
      E.left(`there is nothing to resume: ${join(reports, 'attach')} has no run`),
    );
  });

  it('has a scenario by its steps wherever it stands, and a changed one by its name', () => {
    const rest = [
      { key: 'a', uri: 'x.feature', name: 'Moved' },
      { key: 'b', uri: 'x.feature', name: 'Changed' },
    ];
    const today = [
      { key: 'c', uri: 'x.feature', name: 'Done' },
      { key: 'b2', uri: 'x.feature', name: 'Changed' },
      { key: 'a2', uri: 'x.feature', name: 'Moved' },
      { key: 'a', uri: 'x.feature', name: 'Moved' },
    ];
    expect(stillRemaining(rest, today, (scenario) => scenario).map(({ key }) => key)).to.deep.equal([
      'b2',
      'a',
    ]);
  });
});
