/** Messages of small runs, like Cucumber's. */
import type { RunFacts } from '../../features/report/facts.js';
import { parseMessages } from '../../features/report/messages.js';
import { readRun, type Run } from '../../features/report/run.js';
import { right } from '../support/either.js';

export interface Sample {
  readonly uri?: string;
  readonly name: string;
  readonly tags?: readonly string[];
  readonly steps?: readonly string[];
  /** Undefined: Cucumber has read the scenario, but not run it. */
  readonly status?: 'PASSED' | 'FAILED' | 'SKIPPED';
  /** The message of a failure, or the log of a skip. */
  readonly reason?: string;
}

const FACTS: RunFacts = {
  ...{ bench: 'simulated', profile: 'airbench', station: 'here', operator: null },
  tester: { airbench: '1.2.3', commit: null, node: 'v20', system: 'Linux' },
  ...{ servers: [], adapters: [], seed: null, selection: [] },
};

/** NDJSON of a run that starts `at` seconds after 1970. */
export const messagesOf = (at: number, samples: readonly Sample[]): string => {
  const timestamp = { seconds: at, nanos: 500_000_000 };
  const uri = (sample: Sample): string => sample.uri ?? 'features/dice/scan.feature';
  const run = samples.flatMap((sample, n) => {
    const { name, tags = [], steps = ['it works'], status, reason = '' } = sample;
    const ids = { testCaseStartedId: `started${n}`, testStepId: `step${n}` };
    const pickle = {
      ...{ id: `pickle${n}`, uri: uri(sample), name, location: { line: n + 3, column: 3 } },
      tags: tags.map((tag) => ({ name: tag, astNodeId: 'x' })),
      steps: steps.map((text) => ({ id: 'x', text, astNodeIds: [] })),
    };
    if (status === undefined) return [{ pickle }];
    const facts = { body: JSON.stringify(FACTS), mediaType: 'application/json', fileName: 'run.json' };
    const log = { body: reason, mediaType: 'text/x.cucumber.log+plain' };
    const failure = status === 'FAILED' ? { message: reason } : {};
    return [
      { pickle },
      { testCase: { id: `case${n}`, pickleId: `pickle${n}`, testSteps: [] } },
      { testCaseStarted: { id: `started${n}`, testCaseId: `case${n}`, attempt: 0, timestamp } },
      { attachment: { ...facts, ...ids, contentEncoding: 'IDENTITY' } },
      ...(status === 'SKIPPED' ? [{ attachment: { ...log, ...ids, contentEncoding: 'IDENTITY' } }] : []),
      {
        testStepFinished: { ...ids, timestamp, testStepResult: { status, duration: timestamp, ...failure } },
      },
      { testCaseFinished: { testCaseStartedId: `started${n}`, timestamp, willBeRetried: false } },
    ];
  });
  const documents = [...new Set(samples.map(uri))].map((file) => ({ gherkinDocument: { uri: file } }));
  const envelopes = [
    { meta: { protocolVersion: '32.0.0' } },
    { testRunStarted: { timestamp, id: 'run' } },
    ...documents,
    ...run,
    {
      testRunFinished: { timestamp: { seconds: at + 60, nanos: 0 }, success: true, testRunStartedId: 'run' },
    },
  ];
  return `${envelopes.map((envelope) => JSON.stringify(envelope)).join('\n')}\n`;
};

export const runOf = (at: number, samples: readonly Sample[]): Run =>
  readRun(right(parseMessages('sample.ndjson', messagesOf(at, samples))));
