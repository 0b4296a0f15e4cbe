import { expect } from 'chai';
import { describe, it } from 'mocha';
import { stepsText } from '../../features/report/steps-text.js';
import { StepReader, type ListedStep } from '../../features/report/steps.js';

const STEPS: readonly ListedStep[] = [
  {
    pattern: 'a die',
    group: 'Given',
    uses: [6, 9, 12, 15].map((line) => ({ place: `features/dice/scan.feature:${line}`, text: 'a die' })),
  },
  {
    pattern: 'the answer is {int}',
    group: 'Then',
    uses: [
      { place: 'features/dice/scan.feature:6', text: 'the answer is 200' },
      { place: 'features/clock/connect.feature:3', text: 'the answer is 404' },
    ],
  },
  { pattern: 'nobody asks', group: 'unused', uses: [] },
];

describe('The list of steps', () => {
  it('has all groups, and the first places of each step', () => {
    expect(stepsText(STEPS, [])).to.equal(`Given
  a die
      4 uses, features/dice/scan.feature: 6, 9, 12 and 1 more

Then
  the answer is {int}
      2 uses, features/dice/scan.feature: 6; features/clock/connect.feature: 3

unused
  nobody asks
`);
  });

  it('lacks words that only end with a given one', () => {
    expect(stepsText(STEPS, ['swer'])).to.equal('no step has the words: swer\n');
    expect(stepsText(STEPS, ['answ', '{in'])).to.contain('the answer is {int}');
  });

  it('has all places of the steps whose patterns have all words', () => {
    expect(stepsText(STEPS, ['DIE'])).to.equal(
      'Given\n  a die\n      4 uses, features/dice/scan.feature: 6, 9, 12, 15\n',
    );
  });

  it('has the uses with all words of a step whose pattern lacks one', () => {
    expect(stepsText(STEPS, ['answer', '404'])).to.equal(
      'Then\n  the answer is {int}\n      1 use, features/clock/connect.feature: 3\n',
    );
  });

  it('says that no step has the words', () => {
    expect(stepsText(STEPS, ['moon', 'green'])).to.equal('no step has the words: moon green\n');
  });

  it('fits in 100 columns', () => {
    const uses = Array.from({ length: 60 }, (_, line) => ({
      place: `features/dice/a-long-name-of-a-feature-${line % 3}.feature:${line}`,
      text: 'a die',
    }));
    const text = stepsText([{ pattern: 'word '.repeat(40).trim(), group: 'When', uses }], ['word']);
    expect(text.split('\n').filter((line) => line.length > 100)).to.be.empty;
  });
});

describe('The reader of steps', () => {
  it('puts a step into the group of most of its uses', () => {
    const reader = new StepReader();
    reader.read({ stepDefinition: { id: 'd', pattern: { source: 'a die', type: 'CUCUMBER_EXPRESSION' } } });
    for (const [id, type] of ['Context', 'Action', 'Context'].entries()) {
      const pickle = { id: `p${id}`, uri: 'a.feature', name: '', tags: [], location: { line: id } };
      reader.read({ pickle: { ...pickle, steps: [{ id: `s${id}`, text: 'a die', type }] } });
      const testSteps = [{ id: `t${id}`, pickleStepId: `s${id}`, stepDefinitionIds: ['d'] }];
      reader.read({ testCase: { id: `c${id}`, pickleId: `p${id}`, testSteps } });
    }
    expect(reader.steps.map(({ pattern, group }) => ({ pattern, group }))).to.deep.equal([
      { pattern: 'a die', group: 'Given' },
    ]);
  });
});
