import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { DeviceFacts, RunFacts, ServerFacts } from '../../features/report/facts.js';
import type { Run } from '../../features/report/run.js';
import { verdictOf, type Judgement } from '../../features/report/verdict.js';
import { runOf, type Sample } from './sample-messages.js';

const PASSED: Sample = { name: 'Scan', status: 'PASSED' };

const judge = (
  run: Partial<Run> = {},
  lines: { readonly failing?: readonly string[]; readonly unverified?: readonly string[] } = {},
  remark = '',
): Judgement =>
  verdictOf({
    run: { ...runOf(1, [PASSED]), ...run },
    ...{ failing: [], unverified: [], claimed: 101, ...lines },
    remark,
  });

const withSamples = (...samples: readonly Sample[]): Judgement => judge(runOf(1, samples));

const withFacts = (facts: Partial<RunFacts>): Judgement => judge(runOf(1, [PASSED], facts));

const server = (commit: string | null, name: ServerFacts['name'] = 'dice server'): ServerFacts => ({
  ...{ name, url: 'http://a' },
  about: { name, version: '1', commit, started: '2026-03-01T09:00:00Z', node: 'v22', radios: [] },
});

const device = (met: boolean): DeviceFacts => ({
  ...{ kind: 'dice', address: 'D1', name: 'red', maker: null, firmware: null, battery: null, rssi: null },
  met,
});

const textsOf = ({ reasons }: Judgement): readonly string[] =>
  reasons.map(({ text, about }) => [text, ...about.map(({ name }) => name)].join(', '));

describe('The verdict on a run', () => {
  it('is accepted if no rule applies', () => {
    expect(judge()).to.deep.equal({ verdict: 'accepted', reasons: [], further: [] });
    expect(withFacts({ servers: [server('abc'), server(null)] }).verdict).to.equal('accepted');
  });

  const against: readonly (readonly [string, Judgement, string])[] = [
    ['a scenario failed', withSamples(PASSED, { name: 'LEDs', status: 'FAILED' }), '1 scenario failed, LEDs'],
    ['a claimed line fails', judge({}, { failing: ['@D-led'] }), '1 claimed line fails, @D-led'],
    ['something failed outside', judge({ troubles: ['the rig'] }), 'a failure outside any scenario, the rig'],
    [
      'the run ended early',
      withSamples(PASSED, { name: 'LEDs', status: 'PASSED', unfinished: true }),
      'the run ended before its last scenario: 1 of 2 have no result',
    ],
    ['the run has no end', judge({ interrupted: true }), 'the run was interrupted'],
    ['no scenario passed', withSamples({ name: 'LEDs', status: 'SKIPPED' }), 'no scenario passed'],
    [
      'a server changed its version',
      judge({ findings: [{ text: 'version 2 since 09:00', changedVersion: true }] }),
      'version 2 since 09:00',
    ],
  ];
  for (const [what, judgement, text] of against) {
    it(`is not accepted if ${what}`, () => {
      expect(judgement.verdict).to.equal('not accepted');
      expect(textsOf(judgement)).to.deep.equal([text]);
    });
  }

  const partly: readonly (readonly [string, Judgement, string])[] = [
    [
      'a claimed line is unverified',
      judge({}, { unverified: ['@D-led', '@D-ws'] }),
      '2 of 101 claimed lines are not verified by this run, @D-led, @D-ws',
    ],
    [
      'the run was narrowed',
      withFacts({ selection: ['--tags', '@D-led'] }),
      'the run was narrowed to 1 scenario, --tags @D-led',
    ],
  ];
  for (const [what, judgement, text] of partly) {
    it(`is partly verified if ${what}`, () => {
      expect(judgement.verdict).to.equal('partly verified');
      expect(textsOf(judgement)).to.deep.equal([text]);
    });
  }

  const remarks: readonly (readonly [string, Judgement, string])[] = [
    [
      'a scenario is flaky',
      withSamples({ ...PASSED, before: 'once' }),
      '1 scenario passed at a later attempt only, Scan',
    ],
    [
      'a scenario was skipped',
      withSamples(PASSED, { name: 'LEDs', status: 'SKIPPED', reason: 'no robot' }),
      '1 scenario skipped, no robot (1)',
    ],
    [
      'it has a finding',
      judge({ findings: [{ text: 'the clock server was restarted' }] }),
      'the clock server was restarted',
    ],
    [
      'a server does not say its version',
      withFacts({ servers: [{ name: 'clock server', url: 'http://b', about: null }] }),
      'the version of 1 server is unknown, clock server',
    ],
    [
      'a server is of an unclean build',
      withFacts({ servers: [server('abc-dirty')] }),
      '1 server was built with uncommitted changes, dice server',
    ],
    [
      'a device was not met',
      judge({ devices: [device(false)] }),
      'no server heard 1 device of the bench, die red D1',
    ],
    ['the signer made a remark', judge({}, {}, 'for the lab'), '1 remark by operator or signer, for the lab'],
  ];
  for (const [what, judgement, text] of remarks) {
    it(`is accepted with remarks if ${what}`, () => {
      expect(judgement.verdict).to.equal('accepted with remarks');
      expect(textsOf(judgement)).to.deep.equal([text]);
    });
  }

  it('counts the remarks of the operator', () => {
    const scenario = runOf(1, [PASSED]).planned[0];
    if (scenario === undefined) throw new Error('no scenario');
    expect(textsOf(judge({ remarks: [{ text: '21.5 °C', scenario }] }))).to.deep.equal([
      '1 remark by operator or signer, 21.5 °C',
    ]);
  });

  it('does not depend on the control API, or on a device that was met later', () => {
    const run = { ...runOf(1, [PASSED], { servers: [server('abc-dirty', 'control API')] }) };
    expect(judge({ ...run, devices: [device(false), device(true)] }).verdict).to.equal('accepted');
  });

  it('names the reasons of better verdicts apart', () => {
    const findings = [{ text: 'restarted' }];
    const failed = judge({ troubles: ['the rig'], findings }, { unverified: ['@D-led'] });
    expect(failed.reasons).to.have.lengthOf(1);
    expect(failed.further.map(({ text }) => text)).to.deep.equal([
      '1 of 101 claimed lines is not verified by this run',
      'restarted',
    ]);
    const { verdict, further } = judge({ findings }, { unverified: ['@D-led'] });
    expect(verdict).to.equal('partly verified');
    expect(further).to.deep.equal([{ text: 'restarted', about: [] }]);
  });
});
