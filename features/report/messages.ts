/** The Cucumber messages (github.com/cucumber/messages) that the report reads, from NDJSON text. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';

const Time = t.type({ seconds: t.number, nanos: t.number });

const StepResult = t.intersection([
  t.type({
    status: t.keyof({
      UNKNOWN: null,
      PASSED: null,
      SKIPPED: null,
      PENDING: null,
      UNDEFINED: null,
      AMBIGUOUS: null,
      FAILED: null,
    }),
  }),
  t.partial({ message: t.string }),
]);

const Pickle = t.intersection([
  t.type({
    id: t.string,
    uri: t.string,
    name: t.string,
    tags: t.array(t.type({ name: t.string })),
    steps: t.array(
      t.intersection([
        t.type({ id: t.string, text: t.string }),
        t.partial({ type: t.string, argument: t.unknown }),
      ]),
    ),
  }),
  t.partial({ location: t.type({ line: t.number }) }),
]);

const Attachment = t.intersection([
  t.type({ body: t.string, mediaType: t.string, contentEncoding: t.string }),
  t.partial({ fileName: t.string, testCaseStartedId: t.string, testStepId: t.string }),
]);

const TestCase = t.type({
  id: t.string,
  pickleId: t.string,
  testSteps: t.array(
    t.intersection([
      t.type({ id: t.string }),
      t.partial({ pickleStepId: t.string, stepDefinitionIds: t.array(t.string) }),
    ]),
  ),
});

/** One line: a message with one of these fields, or with a field that the report does not read. */
export const Envelope = t.partial({
  gherkinDocument: t.partial({ uri: t.string, feature: t.type({ name: t.string }) }),
  parseError: t.type({ message: t.string }),
  pickle: Pickle,
  testRunStarted: t.type({ timestamp: Time }),
  stepDefinition: t.type({ id: t.string, pattern: t.type({ source: t.string, type: t.string }) }),
  testCase: TestCase,
  testCaseStarted: t.intersection([
    t.type({ id: t.string, testCaseId: t.string, timestamp: Time }),
    t.partial({ workerId: t.string }),
  ]),
  attachment: Attachment,
  testStepFinished: t.type({ testCaseStartedId: t.string, testStepId: t.string, testStepResult: StepResult }),
  testCaseFinished: t.type({ testCaseStartedId: t.string, timestamp: Time, willBeRetried: t.boolean }),
  testRunHookFinished: t.type({ result: StepResult }),
  testRunFinished: t.type({ timestamp: Time }),
});

export type Envelope = t.TypeOf<typeof Envelope>;
export type TestCase = t.TypeOf<typeof TestCase>;
export type Pickle = t.TypeOf<typeof Pickle>;
export type Attachment = t.TypeOf<typeof Attachment>;
export type StepResult = t.TypeOf<typeof StepResult>;
export type Time = t.TypeOf<typeof Time>;

/** Milliseconds since 1970. */
export const milliseconds = ({ seconds, nanos }: Time): number => seconds * 1000 + Math.floor(nanos / 1e6);

/** Left names the first wrong field. */
export const decodeEnvelope = (json: unknown): E.Either<string, Envelope> =>
  pipe(
    Envelope.decode(json),
    E.mapLeft(([error]) => {
      const path = (error?.context ?? []).map(({ key }) => key).filter((key) => !/^\d*$/.test(key));
      return `${path.join('.') || 'it'} is not as a Cucumber message has it`;
    }),
  );

const parseLine = (line: string): E.Either<string, Envelope> =>
  pipe(
    J.parse(line),
    E.mapLeft(() => 'is not JSON'),
    E.chain(decodeEnvelope),
  );

/** The messages of a run, whose last line may be cut off. Left names `file` and the number of a wrong line before the last. */
export const parseMessages = (file: string, text: string): E.Either<string, readonly Envelope[]> => {
  const envelopes: Envelope[] = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const parsed = parseLine(line);
    if (E.isRight(parsed)) envelopes.push(parsed.right);
    else if (at < lines.length - 1) return E.left(`${file}, line ${at + 1}: ${parsed.left}`);
  }
  return E.right(envelopes);
};
