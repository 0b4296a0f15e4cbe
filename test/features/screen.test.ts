import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Course } from '../../features/actors/course.js';
import { render, type Asked, type ScreenState } from '../../features/actors/screen.js';

const asked: Asked = {
  number: 1,
  task: 'Roll the red die as a d6 until it shows 5',
  device: 'GoDice_000001_R_v04 · red · D1:CE:00:00:00:01',
  secondsLeft: 103,
  watched: '3 of 6 faces seen: 1 2 4; RollStart seen, waiting for Stable 5',
  typing: undefined,
  noted: undefined,
};

const state: ScreenState = {
  title: 'bench-1, operator A. Turing',
  course: {
    ...{ number: 3, total: 12, step: 'the die rolls 5' },
    scenario: { name: 'A roll reaches every client', place: 'features/dice/events.feature:6' },
    last: { name: 'Taps', status: 'failed', reason: 'expected Tap, got DoubleTap' },
  },
  asked,
  overdue: undefined,
  interrupted: false,
};

const plain = (screen: ScreenState, columns: number, rows: number): readonly string[] =>
  // eslint-disable-next-line no-control-regex
  render(screen, columns, rows).map((line) => line.replace(/\u001b\[\d+m/g, '').trimEnd());

describe('The screen of an operator', () => {
  it('shows the scenario, the action, the device, the time left, the events and the keys', () => {
    expect(plain(state, 80, 19)).to.deep.equal([
      ' bench-1, operator A. Turing                                   scenario 3 of 12',
      ' ✗ Taps: expected Tap, got DoubleTap',
      '',
      ' A roll reaches every client',
      ' features/dice/events.feature:6',
      '',
      '  Action 1',
      '  Roll the red die as a d6 until it shows 5.',
      '',
      '  GoDice_000001_R_v04 · red · D1:CE:00:00:00:01',
      '',
      '  Time left  1:43',
      '  Watching   3 of 6 faces seen: 1 2 4; RollStart seen, waiting for Stable 5',
      '',
      '',
      '',
      '',
      '',
      '  Enter  done   a  again   s  skip   n  note   Ctrl-C  end',
    ]);
  });

  it('shows the typed text, and its own keys', () => {
    const typing = { purpose: 'skip', text: 'no charger' } as const;
    const lines = plain({ ...state, asked: { ...asked, typing } }, 80, 24);
    expect(lines).to.include('  Why is this scenario skipped?').and.to.include('  > no charger');
    expect(lines.at(-1)).to.equal('  Enter  skip the scenario   Esc  back');
  });

  it('shows the end of a long typed text', () => {
    const typing = { purpose: 'note', text: `${'x'.repeat(100)}end` } as const;
    const lines = plain({ ...state, asked: { ...asked, typing } }, 40, 24);
    expect(lines).to.include(`  > ${'x'.repeat(31)}end`);
  });

  it('shows the step under way while there is nothing to do', () => {
    expect(plain({ ...state, asked: undefined }, 80, 24)).to.include.members([
      '  Nothing to do for now.',
      '  the die rolls 5',
    ]);
  });

  it('offers the last action again while a step waits long', () => {
    const overdue = 'Tap the red die once';
    expect(plain({ ...state, asked: undefined, overdue }, 80, 24)).to.include(
      '  This has not come yet. You may do it again: Tap the red die once.',
    );
  });

  for (const [columns, rows] of [
    [120, 40],
    [80, 24],
    [40, 12],
    [24, 8],
    [10, 3],
    [1, 1],
  ] as const)
    it(`fits ${columns} columns and ${rows} rows`, () => {
      const lines = plain(state, columns, rows);
      expect(lines).to.have.lengthOf(rows);
      for (const line of lines) expect(Array.from(line)).to.have.lengthOf.at.most(columns);
    });

  it('has room for the task before all else', () => {
    expect(plain(state, 40, 4)).to.include('  Roll the red die as a d6 until it');
  });

  it('shows no control character of a name', () => {
    const device = 'die \u001b[2J';
    expect(plain({ ...state, asked: { ...asked, device } }, 80, 24)).to.include('  die \ufffd[2J');
  });
});

describe('The course of a run', () => {
  it('counts scenarios, and has the result of the last one in one line', () => {
    const course = new Course();
    const steps = [{ id: 's1', text: 'a die' }];
    const pickle = { id: 'p1', name: 'Taps', uri: 'a.feature', location: { line: 6 }, steps };
    const testSteps = [{ id: 't0' }, { id: 't1', pickleStepId: 's1' }];
    course.read({ pickle });
    course.read({ testCase: { id: 'c1', pickleId: 'p1', testSteps } });
    course.read({ testCase: { id: 'c2', pickleId: 'p1', testSteps } });
    course.read({ testCaseStarted: { testCaseId: 'c1', attempt: 0 } });
    course.read({ testStepStarted: { testStepId: 't1' } });
    expect(course).to.include({ number: 1, total: 2, step: 'a die' });
    expect(course.scenario).to.deep.equal({ name: 'Taps', place: 'a.feature:6' });
    course.read({ testStepFinished: { testStepResult: { status: 'FAILED', message: 'no Tap\n at x' } } });
    course.read({ testCaseFinished: { willBeRetried: false } });
    expect(course.last).to.deep.equal({ name: 'Taps', status: 'failed', reason: 'no Tap' });
    course.read({ testCaseStarted: { testCaseId: 'c2', attempt: 0 } });
    course.read({ attachment: { body: 'skipped: no charger' } });
    course.read({ testStepFinished: { testStepResult: { status: 'SKIPPED' } } });
    course.read({ testCaseFinished: { willBeRetried: false } });
    expect(course.last).to.deep.equal({ name: 'Taps', status: 'skipped', reason: 'no charger' });
  });
});
