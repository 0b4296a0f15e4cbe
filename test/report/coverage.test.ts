import { expect } from 'chai';
import { describe, it } from 'mocha';
import { coverageOf, type Coverage } from '../../features/report/coverage.js';
import type { Run } from '../../features/report/run.js';
import { runOf, type Sample } from './sample-messages.js';

const SEEDS = [
  {
    name: 'dice',
    lines: [
      { tag: '@D-scan', line: 'Scan <all> & "sundry".' },
      { tag: '@D-led', line: 'The LEDs.' },
    ],
  },
];

const coverageOfRuns = (runs: readonly Run[], exists: (uri: string) => boolean = () => true): Coverage =>
  coverageOf(
    SEEDS,
    [
      { name: 'simulated', runs },
      { name: 'attach', runs: [] },
    ],
    exists,
  );

const lineOf = (coverage: Coverage, tag: string, bench = 'simulated') => {
  const line = coverage.seeds.flatMap(({ lines }) => lines).find((candidate) => candidate.tag === tag);
  const result = line?.results.get(bench);
  if (line === undefined || result === undefined) throw new Error(`no ${tag}`);
  return { state: result.state, result, scenarios: line.scenarios };
};

const scan = (more: Partial<Sample> = {}): Sample => ({ name: 'Scan', tags: ['@D-scan'], ...more });
const led = (more: Partial<Sample> = {}): Sample => ({ name: 'LEDs', tags: ['@D-led'], ...more });

describe('A line of a contract', () => {
  it('is verified by one passed scenario if the others are skipped', () => {
    const run = runOf(1, [
      scan({ status: 'PASSED' }),
      scan({ name: 'Robot', status: 'SKIPPED', reason: 'no robot' }),
    ]);
    const { state, result, scenarios } = lineOf(coverageOfRuns([run]), '@D-scan');
    expect(state).to.equal('verified');
    expect(result).to.include({ passed: 1, total: 2, at: 1500 });
    expect(scenarios[1]?.results.get('simulated')).to.include({ status: 'skipped', reason: 'no robot' });
  });

  it('is unverified if its scenarios are skipped, not run, or run on another bench', () => {
    const coverage = coverageOfRuns([runOf(1, [scan({ status: 'SKIPPED' }), led()])]);
    expect(lineOf(coverage, '@D-scan').state).to.equal('unverified');
    expect(lineOf(coverage, '@D-led').state).to.equal('unverified');
    expect(lineOf(coverage, '@D-scan', 'attach').result.status).to.equal('not run');
    expect(coverage.summaries[0]?.lines).to.deep.equal({
      ...{ verified: 0, failing: 0, unverified: 2 },
      'not claimed': 0,
    });
    expect(coverage.summaries[0]?.scenarios).to.deep.equal({
      passed: 0,
      flaky: 0,
      failed: 0,
      skipped: 1,
      'not run': 1,
    });
  });

  it('keeps its last result after a run of other scenarios', () => {
    const whole = runOf(1, [scan({ status: 'PASSED' }), led({ status: 'FAILED', reason: 'dark' })]);
    const part = runOf(100, [scan(), led({ status: 'PASSED' })]);
    const coverage = coverageOfRuns([whole, part]);
    expect(lineOf(coverage, '@D-scan')).to.deep.include({ state: 'verified' });
    expect(lineOf(coverage, '@D-scan').result.at).to.equal(1500);
    expect(lineOf(coverage, '@D-led')).to.deep.include({ state: 'verified' });
  });

  it('loses the results of scenarios whose steps changed, or that were deleted', () => {
    const before = runOf(1, [scan({ status: 'PASSED' }), led({ status: 'PASSED' })]);
    const now = runOf(100, [scan({ steps: ['it works, and more'] })]);
    const coverage = coverageOfRuns([before, now]);
    expect(lineOf(coverage, '@D-scan').result.status).to.equal('not run');
    expect(lineOf(coverage, '@D-led').scenarios).to.be.empty;
  });

  it('is not verified by a deleted feature file', () => {
    const before = runOf(1, [scan({ status: 'PASSED', uri: 'features/gone.feature' })]);
    expect(
      lineOf(
        coverageOfRuns(
          [before, runOf(100, [led({ status: 'PASSED' })])],
          (uri) => uri !== 'features/gone.feature',
        ),
        '@D-scan',
      ).scenarios,
    ).to.be.empty;
  });

  it('counts the examples of an outline, which fails with one of them', () => {
    const run = runOf(1, [
      scan({ steps: ['face 1'], status: 'PASSED' }),
      scan({ steps: ['face 2'], status: 'FAILED' }),
    ]);
    const [scenario, ...further] = lineOf(coverageOfRuns([run]), '@D-scan').scenarios;
    expect(further).to.be.empty;
    expect(scenario?.examples).to.equal(2);
    expect(scenario?.results.get('simulated')).to.include({ status: 'failed', passed: 1, total: 2 });
  });

  it('fails if one of two identical scenarios fails', () => {
    const run = runOf(1, [scan({ status: 'FAILED' }), scan({ status: 'PASSED' })]);
    expect(lineOf(coverageOfRuns([run]), '@D-scan').state).to.equal('failing');
  });
});
