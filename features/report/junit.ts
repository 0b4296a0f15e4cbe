/** JUnit XML of a run, a test case for each scenario. */
import { junitXml, type Failure, type TestResult } from '../../src/html/junit.js';
import { withoutStack } from './reason.js';
import type { Outcome, Run } from './run.js';
import type { Scenario } from './scenario.js';
import type { Verdict } from './verdict.js';

const failure = (reason: string): Failure => {
  const [, type = 'Error'] = /^(\w*Error)\b/.exec(reason) ?? [];
  const [message = ''] = withoutStack(reason).split('\n');
  return { type, message, text: reason };
};

const resultOf = ({ status, reason, attempts }: Outcome): TestResult => {
  switch (status) {
    case 'passed':
      return { status };
    case 'skipped':
      return { status, reason };
    case 'failed':
      return { status, failure: failure(reason) };
    case 'flaky':
      return { status, failures: attempts.slice(0, -1).map((attempt) => failure(attempt.reason)) };
  }
};

const output = ({ attempts }: Outcome): string =>
  (attempts.at(-1)?.steps ?? []).map(({ text, status }) => `${text}: ${status}`).join('\n');

export const junitOf = (run: Run, suite: string, verdict: Verdict): string => {
  const { planned, outcomes, featureNames, startedAt, finishedAt } = run;
  const scenarios = [...new Map(planned.map((scenario) => [scenario.key, scenario])).values()];
  const nameOf = ({ uri, name, line }: Scenario): string =>
    scenarios.some((other) => other.uri === uri && other.name === name && other.line !== line)
      ? `${name}, line ${line}`
      : name;
  const cases = scenarios.flatMap((scenario) => {
    const outcome = outcomes.get(scenario.key);
    if (outcome === undefined) return [];
    const classname = featureNames.get(scenario.uri) ?? scenario.uri;
    const result = resultOf(outcome);
    return [{ classname, name: nameOf(scenario), took: outcome.took, result, output: output(outcome) }];
  });
  return junitXml({ name: suite, startedAt, endedAt: finishedAt, properties: { verdict }, cases });
};
