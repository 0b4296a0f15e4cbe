/** The report as JUnit XML for CI servers: a test case for each rule. */
import { junitXml, type TestResult } from '../../../src/html/junit.js';
import type { Verdict, Violation } from '../../radio/index.js';
import { counted, placeOf, stateOf, timeOf, unlisted, type Findings } from './findings.js';

const NAME = 'airbench.strict';

const lineOf = ({ trace }: Findings, violation: Violation): string => {
  const { adapter, message, count } = violation;
  return `${adapter}: ${message}\n  ${counted(count, 'time')}, first: ${placeOf(trace, violation)}, ${timeOf(violation)}`;
};

const resultOf = (findings: Findings, verdict: Verdict): TestResult => {
  const { broken, clause, violations } = verdict;
  switch (stateOf(verdict)) {
    case 'kept':
      return { status: 'passed' };
    case 'not tried':
      return { status: 'skipped', reason: 'no host sent such a packet' };
    case 'broken': {
      const more = unlisted(verdict);
      const lines = violations.map((violation) => lineOf(findings, violation));
      const text = [...lines, ...(more > 0 ? [`and ${counted(more, 'other violation')}`] : [])].join('\n');
      const message = `${counted(broken, 'violation')} of ${clause}: ${violations[0]?.message ?? ''}`;
      return { status: 'failed', failure: { type: 'violation', message, text } };
    }
  }
};

export const junitOf = (findings: Findings): string => {
  const { verdicts, startedAt, endedAt } = findings;
  const cases = verdicts.map((verdict) => ({
    ...{ classname: NAME, name: `${verdict.title} (${verdict.clause})`, took: 0 },
    result: resultOf(findings, verdict),
  }));
  return junitXml({ name: NAME, startedAt, endedAt, cases });
};
