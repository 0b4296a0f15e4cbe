/** Cucumber's JUnit XML, with the reasons of skipped scenarios, which the messages have in attachments alone. */
import { createRequire } from 'node:module';
import { Status } from '@cucumber/cucumber';
import type * as JUnit from '@cucumber/junit-xml-formatter';
import { SKIPPED } from '../actors/skip.js';

type Envelope = Parameters<JUnit.JUnitXmlPrinter['update']>[0];

/** The formatter is a package of Cucumber, which may lie below it. */
const { JUnitXmlPrinter } = createRequire(import.meta.resolve('@cucumber/cucumber'))(
  '@cucumber/junit-xml-formatter',
) as typeof JUnit;

interface Context {
  readonly options: JUnit.Options;
  readonly on: (key: 'message', handler: (envelope: Envelope) => void) => void;
  readonly write: (text: string) => void;
}

export default {
  type: 'formatter',
  optionsKey: 'junit',
  formatter({ options, on, write }: Context): void {
    const printer = new JUnitXmlPrinter(options, write);
    const reasons = new Map<string, string>();
    on('message', (envelope) => {
      const { attachment, testStepFinished } = envelope;
      if (attachment?.testCaseStartedId !== undefined && attachment.body.startsWith(SKIPPED))
        reasons.set(attachment.testCaseStartedId, attachment.body.slice(SKIPPED.length));
      const reason = reasons.get(testStepFinished?.testCaseStartedId ?? '');
      // Other formatters receive the same envelope.
      const explained = reason === undefined ? envelope : structuredClone(envelope);
      const result = explained.testStepFinished?.testStepResult;
      if (reason !== undefined && result?.status === Status.SKIPPED) result.message = reason;
      printer.update(explained);
    });
  },
};
