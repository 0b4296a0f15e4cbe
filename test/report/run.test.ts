import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Outcome } from '../../features/report/run.js';
import { duration } from '../../features/report/times.js';
import { runOf, type Sample } from './sample-messages.js';

const firstOutcome = (sample: Sample): Outcome => {
  const [outcome] = runOf(1, [sample]).outcomes.values();
  if (outcome === undefined) throw new Error('no outcome');
  return outcome;
};

describe('A scenario of a run', () => {
  const FILES = { 'server.txt': 'GET /', 'air.btsnoop': Buffer.from('btsnoop') };

  it('has the files of the hook under the step that failed', () => {
    const { attempts } = firstOutcome({
      ...{ name: 'LEDs', status: 'FAILED', reason: 'dark', steps: ['it works', 'it lights'], files: FILES },
    });
    expect(attempts).to.have.lengthOf(1);
    const [failed, later] = attempts[0]?.steps ?? [];
    expect(failed).to.deep.include({ text: 'Then it works', status: 'failed', message: 'dark' });
    expect(failed?.attached.map(({ fileName }) => fileName)).to.include.members([
      'server.txt',
      'air.btsnoop',
    ]);
    expect(later).to.deep.equal({ text: 'And it lights', status: 'skipped', message: '', attached: [] });
  });

  it('has no files if it passed', () => {
    const { attempts } = firstOutcome({ name: 'LEDs', status: 'PASSED', files: FILES });
    expect(attempts[0]?.steps).to.deep.equal([
      { text: 'Then it works', status: 'passed', message: '', attached: [] },
    ]);
  });

  it('is flaky if it passed at its second attempt', () => {
    const outcome = firstOutcome({ name: 'LEDs', status: 'PASSED', before: 'dark' });
    expect(outcome).to.include({ status: 'flaky', reason: 'dark' });
    expect(outcome.attempts.map(({ status }) => status)).to.deep.equal(['failed', 'passed']);
  });

  it('failed if both attempts failed', () => {
    const outcome = firstOutcome({ name: 'LEDs', status: 'FAILED', before: 'dark', reason: 'dim' });
    expect(outcome).to.include({ status: 'failed', reason: 'dim' });
    expect(outcome.attempts).to.have.lengthOf(2);
  });
});

describe('The notes and findings of a run', () => {
  it('are read from attachments', () => {
    const files = { 'note.json': '{"text":"21.5 °C"}', 'finding.json': '{"text":"restarted"}' };
    const { remarks, findings } = runOf(1, [{ name: 'LEDs', status: 'PASSED', files }]);
    expect(remarks.map(({ text, scenario }) => [text, scenario.name])).to.deep.equal([['21.5 °C', 'LEDs']]);
    expect(findings).to.deep.equal([{ text: 'restarted' }]);
  });
});

describe('The list of steps', () => {
  it('has every use of a step', () => {
    expect(
      runOf(1, [
        { name: 'One', status: 'PASSED' },
        { name: 'Two', status: 'PASSED' },
      ]).steps,
    ).to.deep.equal([
      {
        group: 'Then',
        pattern: 'it {word}',
        uses: [3, 4].map((line) => ({ place: `features/dice/scan.feature:${line}`, text: 'it works' })),
      },
    ]);
  });
});

describe('A duration', () => {
  for (const [ms, text] of [
    [4240, '4.2 s'],
    [59_960, '1 min 0 s'],
    [119_700, '2 min 0 s'],
    [125_000, '2 min 5 s'],
  ] as const)
    it(`of ${ms} ms is ${text}`, () => {
      expect(duration(ms)).to.equal(text);
    });
});
