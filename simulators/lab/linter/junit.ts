/** The report as JUnit XML for CI servers: a test case for each rule. */
import { html as xml, nothing, type Html } from '../../../src/html/index.js';
import type { Verdict, Violation } from '../../radio/index.js';
import { counted, inState, placeOf, stateOf, timeOf, unlisted, type Findings } from './findings.js';

const NAME = 'airbench.strict';

const lineOf = ({ trace }: Findings, violation: Violation): string => {
  const { adapter, message, count } = violation;
  return `${adapter}: ${message}\n  ${counted(count, 'time')}, first: ${placeOf(trace, violation)}, ${timeOf(violation)}`;
};

const failure = (findings: Findings, verdict: Verdict): Html => {
  const more = unlisted(verdict);
  const lines = verdict.violations.map((violation) => lineOf(findings, violation));
  const text = [...lines, ...(more > 0 ? [`and ${counted(more, 'other violation')}`] : [])].join('\n');
  const message = `${counted(verdict.broken, 'violation')} of ${verdict.clause}: ${verdict.violations[0]?.message ?? ''}`;
  return xml`
      <failure type="violation" message="${message}">${text}</failure>`;
};

const testCase = (findings: Findings, verdict: Verdict): Html => {
  const { clause, title } = verdict;
  const outcome = {
    kept: () => nothing,
    broken: () => failure(findings, verdict),
    'not tried': () => xml`
      <skipped message="no host sent such a packet" />`,
  }[stateOf(verdict)]();
  return xml`
    <testcase classname="${NAME}" name="${title} (${clause})" time="0">${outcome}</testcase>`;
};

export const junitOf = (findings: Findings): string => {
  const { verdicts, startedAt, endedAt } = findings;
  const counts = xml`tests="${verdicts.length}" failures="${inState(findings, 'broken').length}" errors="0" skipped="${inState(findings, 'not tried').length}" time="${((endedAt - startedAt) / 1000).toFixed(3)}"`;
  const timestamp = new Date(startedAt).toISOString().slice(0, 19);
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="airbench" ${counts}>
  <testsuite name="${NAME}" timestamp="${timestamp}" ${counts}>${verdicts.map((verdict) => testCase(findings, verdict))}
  </testsuite>
</testsuites>
`.text;
};
