/** Cucumber's JUnit XML, with the reasons of skipped scenarios: the messages have them in an attachment alone. */
import { Status } from '@cucumber/cucumber';
import { JUnitXmlPrinter, type Options } from '@cucumber/junit-xml-formatter';
import { reasonIn } from './run.js';

type Envelope = Parameters<JUnitXmlPrinter['update']>[0];

/** Gives every skipped step the reason that its scenario was given. */
const withReasons = (): ((envelope: Envelope) => Envelope) => {
  const messages = new Map<string, string>();
  const reasons = new Map<string, string>();
  return (envelope) => {
    const { attachment, testStepFinished } = envelope;
    if (attachment?.testStepId !== undefined) {
      const reason = reasonIn(attachment);
      if (reason !== undefined && !messages.has(attachment.testStepId))
        messages.set(attachment.testStepId, reason);
    }
    if (testStepFinished?.testStepResult.status !== Status.SKIPPED) return envelope;
    const { testCaseStartedId, testStepId, testStepResult } = testStepFinished;
    const reason = reasons.get(testCaseStartedId) ?? messages.get(testStepId) ?? testStepResult.message;
    if (reason === undefined) return envelope;
    reasons.set(testCaseStartedId, reason);
    // Other formatters are given the same object.
    const explained = structuredClone(envelope);
    if (explained.testStepFinished !== undefined) explained.testStepFinished.testStepResult.message = reason;
    return explained;
  };
};

interface Context {
  readonly options: Options;
  readonly on: (key: 'message', handler: (envelope: Envelope) => void) => void;
  readonly write: (text: string) => void;
}

export default {
  type: 'formatter',
  optionsKey: 'junit',
  formatter({ options, on, write }: Context): void {
    const printer = new JUnitXmlPrinter(options, write);
    const explained = withReasons();
    on('message', (envelope) => printer.update(explained(envelope)));
  },
};
