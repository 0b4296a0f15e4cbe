/** JUnit's XML of a run, as Maven's Surefire writes it, for CI servers. */
import { escaped, Html } from '../../src/html/index.js';
import { withoutStack } from './reason.js';
import type { Outcome, Run, Status } from './run.js';
import type { Scenario } from './scenario.js';

/** Other characters are no text of XML. */
const NO_TEXT = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

type Attributes = Readonly<Record<string, string | number>>;

const element = (name: string, attributes: Attributes, ...content: readonly Html[]): Html => {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return new Html(`<${name}${texts.join('')}>${content.map(({ text }) => text).join('')}</${name}>`);
};

const textOf = (text: string): Html => new Html(escaped(text));

/** The attributes of a failure. */
const failure = (reason: string): Attributes => {
  const [, type = 'Error'] = /^(\w*Error)\b/.exec(reason) ?? [];
  const [message = ''] = withoutStack(reason).split('\n');
  return { type, message };
};

const results: Readonly<Record<Status, (outcome: Outcome) => readonly Html[]>> = {
  passed: () => [],
  skipped: ({ reason }) => [element('skipped', {}, textOf(reason))],
  failed: ({ reason }) => [element('failure', failure(reason), textOf(reason))],
  flaky: ({ attempts }) =>
    attempts
      .slice(0, -1)
      .map(({ reason }) =>
        element('flakyFailure', failure(reason), element('stackTrace', {}, textOf(reason))),
      ),
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
  const elements = cases.map(({ scenario, outcome }) =>
    element(
      'testcase',
      {
        classname: featureNames.get(scenario.uri) ?? scenario.uri,
        name: nameOf(scenario),
        time: seconds(outcome.took),
      },
      ...results[outcome.status](outcome),
      element('system-out', {}, textOf(output(outcome))),
    ),
  );
  const { text } = element(
    'testsuite',
    {
      name: suite,
      time: seconds(run.finishedAt - run.startedAt),
      timestamp: new Date(run.startedAt).toISOString(),
      tests: cases.length,
      failures: count('failed'),
      skipped: count('skipped'),
      flakes: count('flaky'),
      errors: 0,
    },
    new Html('\n'),
    ...elements.map((testcase) => new Html(`${testcase.text}\n`)),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replace(NO_TEXT, '')}\n`;
};
