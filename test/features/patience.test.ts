import { Status } from '@cucumber/cucumber';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Patience } from '../../features/support/patience.js';

describe('The patience with a server', () => {
  const { FAILED, PASSED, SKIPPED } = Status;
  const fives = (status: string): readonly string[] => Array.from({ length: 5 }, () => status);
  const cases: readonly (readonly [after: string, statuses: readonly string[], usual: number, ms: number])[] =
    [
      ['no scenario', [], 50_000, 50_000],
      ['four failures', fives(FAILED).slice(1), 50_000, 50_000],
      ['five failures', fives(FAILED), 50_000, 1000],
      ['five failures, if it is short', fives(FAILED), 500, 500],
      ['five failures and a skip', [...fives(FAILED), SKIPPED], 50_000, 1000],
      ['five failures and a pass', [...fives(FAILED), PASSED], 50_000, 50_000],
      [
        'failures with a pass between them',
        [...fives(FAILED), PASSED, ...fives(FAILED).slice(1)],
        50_000,
        50_000,
      ],
    ];
  for (const [after, statuses, usual, ms] of cases) {
    it(`is ${ms} ms of ${usual} ms after ${after}`, () => {
      const patience = new Patience();
      for (const status of statuses) patience.observe(status);
      expect(patience.of(usual)).to.equal(ms);
    });
  }
});
