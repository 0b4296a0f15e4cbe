/** JUnit's XML of a run, as Maven's Surefire writes it, for CI servers. */
import { html, nothing, type Html } from '../../src/html/index.js';
import type { Attempt } from './attempt.js';
import { withoutStack } from './reason.js';
import type { Outcome, Run, Status } from './run.js';
import type { Scenario } from './scenario.js';

/** Other characters are no text of XML. */
const NO_TEXT = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const failure = (element: string, reason: string): Html => {
  const [, type = 'Error'] = /^(\w*Error)\b/.exec(reason) ?? [];
  const [message = ''] = withoutStack(reason).split('\n');
  return element === 'failure'
    ? html`<failure type="${type}" message="${message}">${reason}</failure>`
    : html`<flakyFailure type="${type}" message="${message}"
        ><stackTrace>${reason}</stackTrace></flakyFailure
      >`;
};

const results: Readonly<Record<Status, (outcome: Outcome) => Html>> = {
  passed: () => nothing,
  skipped: ({ reason }) => html`<skipped>${reason}</skipped>`,
  failed: ({ reason }) => failure('failure', reason),
  flaky: ({ attempts }) =>
    html`${attempts.slice(0, -1).map(({ reason }: Attempt) => failure('flakyFailure', reason))}`,
};

const output = ({ attempts }: Outcome): string =>
  (attempts.at(-1)?.steps ?? []).map(({ text, status }) => `${text}: ${status}`).join('\n');

export const junitOf = (run: Run, suite: string): string => {
  const { planned, outcomes, featureNames } = run;
  const scenarios = [...new Map(planned.map((scenario) => [scenario.key, scenario])).values()];
  const nameOf = ({ uri, name, line }: Scenario): string =>
    scenarios.some((other) => other.uri === uri && other.name === name && other.line !== line)
      ? `${name}, line ${line}`
      : name;
  const cases = scenarios.flatMap((scenario) => {
    const outcome = outcomes.get(scenario.key);
    return outcome === undefined ? [] : [{ scenario, outcome }];
  });
  const count = (status: Status): number => cases.filter(({ outcome }) => outcome.status === status).length;
  const { text } = html`<testsuite
    name="${suite}"
    time="${seconds(run.finishedAt - run.startedAt)}"
    timestamp="${new Date(run.startedAt).toISOString()}"
    tests="${cases.length}"
    failures="${count('failed')}"
    skipped="${count('skipped')}"
    flakes="${count('flaky')}"
    errors="0"
    >${cases.map(
      ({ scenario, outcome }) =>
        html` <testcase
          classname="${featureNames.get(scenario.uri) ?? scenario.uri}"
          name="${nameOf(scenario)}"
          time="${seconds(outcome.took)}"
          >${results[outcome.status](outcome)}<system-out>${output(outcome)}</system-out></testcase
        >`,
    )}
  </testsuite>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replace(NO_TEXT, '')}\n`;
};
