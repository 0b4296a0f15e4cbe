import { Status } from '@cucumber/cucumber';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Patience } from '../../features/support/patience.js';

describe('The patience with a server', () => {
  const { FAILED, PASSED, SKIPPED } = Status;
  const threes = (status: string): readonly string[] => Array.from({ length: 3 }, () => status);
  const cases: readonly (readonly [after: string, statuses: readonly string[], usual: number, ms: number])[] =
    [
      ['no scenario', [], 50_000, 50_000],
      ['two failures', threes(FAILED).slice(1), 50_000, 50_000],
      ['three failures', threes(FAILED), 50_000, 200],
      ['three failures, if it is short', threes(FAILED), 100, 100],
      ['three failures and a skip', [...threes(FAILED), SKIPPED], 50_000, 200],
      ['three failures and a pass', [...threes(FAILED), PASSED], 50_000, 50_000],
      [
        'failures with a pass between them',
        [...threes(FAILED), PASSED, ...threes(FAILED).slice(1)],
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
