import { Status } from '@cucumber/cucumber';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Patience } from '../../features/support/patience.js';

describe('The patience with a server', () => {
  const { FAILED, PASSED, SKIPPED } = Status;
  const failures = (count: number): readonly string[] => Array.from({ length: count }, () => FAILED);
  const cases: readonly (readonly [after: string, statuses: readonly string[], usual: number, ms: number])[] =
    [
      ['no scenario', [], 50_000, 50_000],
      ['four failures', failures(4), 50_000, 50_000],
      ['five failures', failures(5), 50_000, 200],
      ['five failures, if it is short', failures(5), 100, 100],
      ['five failures and a skip', [...failures(5), SKIPPED], 50_000, 200],
      ['five failures and a pass', [...failures(5), PASSED], 50_000, 50_000],
      ['failures with a pass between them', [...failures(4), PASSED, ...failures(4)], 50_000, 50_000],
    ];
  for (const [after, statuses, usual, ms] of cases) {
    it(`is ${ms} ms of ${usual} ms after ${after}`, () => {
      const patience = new Patience();
      for (const status of statuses) patience.observe(status);
      expect(patience.of(usual)).to.equal(ms);
    });
  }
});
