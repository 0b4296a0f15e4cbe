/** Messages of small runs, like Cucumber's. */
import type { RunFacts } from '../../features/report/facts.js';
import { parseMessages } from '../../features/report/messages.js';
import { readRun, type Run } from '../../features/report/run.js';
import { right } from '../support/either.js';

type Status = 'PASSED' | 'FAILED' | 'SKIPPED';

export interface Sample {
  readonly uri?: string;
  readonly name: string;
  readonly tags?: readonly string[];
  readonly steps?: readonly string[];
  /** Undefined: Cucumber has read the scenario, but not run it. */
  readonly status?: Status;
  /** The message of a failure, or the log of a skip. */
  readonly reason?: string;
  /** The message of a failed attempt before the last one. */
  readonly before?: string;
  /** The files that the hook after the scenario attaches, by name. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Without an end of the scenario. */
  readonly unfinished?: boolean;
}

const FACTS: RunFacts = {
  ...{ bench: 'simulated', profile: 'airbench', station: 'here', operator: null },
  tester: { airbench: '1.2.3', commit: null, node: 'v20', system: 'Linux' },
  ...{ servers: [], adapters: [], seed: null, selection: [] },
};

const attachment = (fileName: string, content: string | Buffer): object =>
  typeof content === 'string'
    ? { body: content, contentEncoding: 'IDENTITY', mediaType: 'text/plain', fileName }
    : {
        body: content.toString('base64'),
        contentEncoding: 'BASE64',
        ...{ mediaType: 'application/octet-stream', fileName },
      };

const uriOf = (sample: Sample): string => sample.uri ?? 'features/dice/scan.feature';

const pickleOf = (sample: Sample, n: number): object => ({
  ...{ id: `pickle${n}`, uri: uriOf(sample), name: sample.name, location: { line: n + 3, column: 3 } },
  tags: (sample.tags ?? []).map((tag) => ({ name: tag, astNodeId: 'x' })),
  steps: (sample.steps ?? ['it works']).map((text, step) => ({
    ...{ id: `pickle${n}-${step}`, text, type: 'Outcome', astNodeIds: [] },
  })),
});

const caseOf = ({ steps = ['it works'] }: Sample, n: number): object => ({
  ...{ id: `case${n}`, pickleId: `pickle${n}` },
  testSteps: [
    ...steps.map((_text, step) => ({
      ...{ id: `step${n}-${step}`, pickleStepId: `pickle${n}-${step}`, stepDefinitionIds: ['definition'] },
    })),
    { id: `hook${n}`, hookId: 'after' },
  ],
});

/** An attempt whose first step ends with a status. */
const attemptOf = (sample: Sample, n: number, attempt: number, status: Status, facts: RunFacts): object[] => {
  const { steps = ['it works'], reason = '', before, files = {} } = sample;
  const testCaseStartedId = `started${n}-${attempt}`;
  const ids = { testCaseStartedId, testStepId: `step${n}-0` };
  const timestamp = { seconds: 0, nanos: 0 };
  const duration = timestamp;
  const willBeRetried = before !== undefined && attempt === 0;
  const log = { body: reason, mediaType: 'text/x.cucumber.log+plain', contentEncoding: 'IDENTITY' };
  const message = status === 'FAILED' ? { message: willBeRetried ? before : reason } : {};
  return [
    { testCaseStarted: { id: testCaseStartedId, testCaseId: `case${n}`, attempt, timestamp } },
    { attachment: { ...attachment('run.json', JSON.stringify(facts)), ...ids } },
    ...(status === 'SKIPPED' ? [{ attachment: { ...log, ...ids } }] : []),
    { testStepFinished: { ...ids, timestamp, testStepResult: { status, duration, ...message } } },
    ...steps.slice(1).map((_text, step) => ({
      testStepFinished: {
        ...{ testCaseStartedId, testStepId: `step${n}-${step + 1}`, timestamp },
        testStepResult: { status: status === 'PASSED' ? status : 'SKIPPED', duration },
      },
    })),
    ...Object.entries(files).map(([fileName, content]) => ({
      attachment: { ...attachment(fileName, content), testCaseStartedId, testStepId: `hook${n}` },
    })),
    {
      testStepFinished: {
        ...{ testCaseStartedId, testStepId: `hook${n}`, timestamp },
        testStepResult: { status: 'PASSED', duration },
      },
    },
    ...(sample.unfinished === true
      ? []
      : [{ testCaseFinished: { testCaseStartedId, timestamp, willBeRetried } }]),
  ];
};

/** Sets all times to that of the run. */
const at = (timestamp: object, message: object): object =>
  JSON.parse(
    JSON.stringify(message, (key, value: unknown) => (key === 'timestamp' ? timestamp : value)),
  ) as object;

/** NDJSON of a run that starts `seconds` after 1970. */
export const messagesOf = (
  seconds: number,
  samples: readonly Sample[],
  facts: Partial<RunFacts> = {},
): string => {
  const timestamp = { seconds, nanos: 500_000_000 };
  const tried = samples
    .map((sample, n) => ({ sample, n }))
    .filter(({ sample }) => sample.status !== undefined);
  const run = tried.flatMap(({ sample, n }) => [
    ...(sample.before === undefined ? [] : attemptOf(sample, n, 0, 'FAILED', { ...FACTS, ...facts })),
    ...attemptOf(sample, n, 1, sample.status ?? 'PASSED', { ...FACTS, ...facts }),
  ]);
  const end = { seconds: seconds + 60, nanos: 0 };
  const envelopes = [
    { meta: { protocolVersion: '32.0.0' } },
    { testRunStarted: { timestamp, id: 'run' } },
    ...[...new Set(samples.map(uriOf))].map((uri) => ({
      gherkinDocument: { uri, feature: { name: `Feature of ${uri}` } },
    })),
    ...samples.map((sample, n) => ({ pickle: pickleOf(sample, n) })),
    { stepDefinition: { id: 'definition', pattern: { source: 'it {word}', type: 'CUCUMBER_EXPRESSION' } } },
    ...tried.map(({ sample, n }) => ({ testCase: caseOf(sample, n) })),
    ...run.map((message) => at(timestamp, message)),
    { testRunFinished: { timestamp: end, success: true, testRunStartedId: 'run' } },
  ];
  return `${envelopes.map((envelope) => JSON.stringify(envelope)).join('\n')}\n`;
};

export const runOf = (seconds: number, samples: readonly Sample[], facts: Partial<RunFacts> = {}): Run =>
  readRun(right(parseMessages('sample.ndjson', messagesOf(seconds, samples, facts))));
