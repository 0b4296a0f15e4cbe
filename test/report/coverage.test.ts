import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { DeviceFacts, RunFacts } from '../../features/report/facts.js';
import { contractPage } from '../../features/report/page.js';
import { coverageOf, stateOf, type Coverage } from '../../features/report/coverage.js';
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

const lineOf = (coverage: Coverage, tag: string, profile = 'simulated') => {
  const line = coverage.seeds.flatMap(({ lines }) => lines).find((candidate) => candidate.tag === tag);
  const result = line?.results.get(profile);
  if (line === undefined || result === undefined) throw new Error(`no ${tag}`);
  return { state: stateOf(result), result, scenarios: line.scenarios };
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

  it('is unverified if its scenarios are skipped, not run, or run on another profile', () => {
    const coverage = coverageOfRuns([runOf(1, [scan({ status: 'SKIPPED' }), led()])]);
    expect(lineOf(coverage, '@D-scan').state).to.equal('unverified');
    expect(lineOf(coverage, '@D-led').state).to.equal('unverified');
    expect(lineOf(coverage, '@D-scan', 'attach').result.status).to.equal('not run');
    expect(coverage.summaries[0]?.lines).to.deep.equal({ verified: 0, failing: 0, unverified: 2 });
    expect(coverage.summaries[0]?.scenarios).to.deep.equal({
      passed: 0,
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
    const run = runOf(1, [scan({ status: 'PASSED', uri: 'features/gone.feature' })]);
    expect(
      lineOf(
        coverageOfRuns([run], (uri) => uri !== 'features/gone.feature'),
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

describe('The page of the contracts', () => {
  const run = runOf(1, [
    scan({
      name: '<script>alert(1)</script>',
      status: 'FAILED',
      reason: '<img src=x onerror="y">\n    at stack',
    }),
  ]);
  const page = contractPage(coverageOfRuns([run]), 0);

  it('escapes names, messages and reasons', () => {
    expect(page).to.not.contain('<script').and.not.contain('<img');
    expect(page).to.contain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).to.contain('Scan &lt;all&gt; &amp; &quot;sundry&quot;.');
    expect(page).to.contain('&lt;img src=x onerror=&quot;y&quot;&gt;</span>');
  });

  it('names every state in words, and has headings of columns and rows', () => {
    for (const word of ['failing', 'not run', '<th scope="col">attach</th>', '<th scope="rowgroup">']) {
      expect(page).to.contain(word);
    }
  });
});

describe('The head of the page', () => {
  const seen = { name: null, maker: null, battery: null, rssi: null, met: true };
  const device = (kind: string, address: string, firmware: string | null): DeviceFacts => ({
    ...seen,
    ...{ kind, address, firmware },
  });
  const headOf = (facts: Partial<RunFacts>, devices: readonly DeviceFacts[]): string => {
    const run = runOf(1, [scan({ status: 'PASSED' })]);
    if (run.facts === undefined) throw new Error('no facts');
    return contractPage(coverageOfRuns([{ ...run, facts: { ...run.facts, ...facts }, devices }]), 0);
  };

  it('lists each real device once, with what was seen of it last', () => {
    const clock = { ...device('clock', '58:2D:34:00:00:01', null), name: 'shelf' };
    const head = headOf({}, [
      clock,
      { ...clock, firmware: '1.0.1', battery: 80, rssi: -60 },
      { ...device('dice', 'D1', 'v04'), met: false },
    ]);
    expect(head).to.contain('clock 58:2D:34:00:00:01 shelf, firmware 1.0.1, battery 80 %, signal -60 dBm<');
    expect(head).to.contain('dice D1, firmware v04, not met<').and.not.contain('firmware unknown');
  });

  it('lists one virtual device of each kind and firmware', () => {
    const head = headOf({ seed: 7 }, [
      device('dice', 'D1', 'v04'),
      device('dice', 'D2', 'v04'),
      device('dice', 'D3', 'v05'),
    ]);
    expect(head.match(/dice D\d/g)).to.deep.equal(['dice D2', 'dice D3']);
  });

  it('says what each server says of itself', () => {
    const [started, node] = ['2026-03-01T09:00:00.000Z', 'v22.1.0'];
    const about = { name: 'airbench dice server', version: '9.9.9', commit: 'abc-dirty', started, node };
    const head = headOf(
      {
        servers: [
          { name: 'dice server', url: 'http://a', about: { ...about, radios: ['hci1'] } },
          { name: 'clock server', url: 'http://b', about: null },
        ],
      },
      [],
    );
    expect(head).to.contain(
      'dice server at http://a: airbench dice server 9.9.9, commit abc-dirty, started 2026-03-01T09:00:00.000Z, Node.js v22.1.0<',
    );
    expect(head).to.contain('radio hci1').and.contain('clock server at http://b: version unknown');
  });
});
