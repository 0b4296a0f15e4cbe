/** Violations of the schema of Jenkins' xUnit plugin (junit-10.xsd) in JUnit XML. */
import { parseXml, type Element } from './xml.js';

interface Rule {
  readonly required: string;
  readonly optional: string;
  readonly children: string;
  /** Whether text may stand in the element. */
  readonly text: boolean;
}

const rule = (required: string, optional: string, children: string, text = false): Rule => ({
  ...{ required, optional, children, text },
});

const RESULT = rule('', 'type message', '', true);
const ATTEMPT = rule('type', 'message', 'stackTrace system-out system-err', true);
const TEXT = rule('', '', '', true);

const SCHEMA: Readonly<Record<string, Rule>> = {
  testsuites: rule('', 'name time tests failures errors', 'testsuite'),
  testsuite: rule(
    'name tests failures errors',
    'group time skipped timestamp hostname id package file log url',
    'testsuite properties testcase system-out system-err',
  ),
  properties: rule('', '', 'property'),
  property: rule('name value', '', ''),
  testcase: rule(
    'name',
    'time classname group',
    'skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err',
  ),
  ...{ skipped: RESULT, error: RESULT, failure: RESULT },
  ...{ rerunFailure: ATTEMPT, rerunError: ATTEMPT, flakyFailure: ATTEMPT, flakyError: ATTEMPT },
  ...{ stackTrace: TEXT, 'system-out': TEXT, 'system-err': TEXT },
};

const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');

const violationsIn = ({ name, attributes, children, text }: Element): readonly string[] => {
  const allowed = SCHEMA[name];
  if (allowed === undefined) return [`<${name}> is unknown`];
  const [required, optional] = [words(allowed.required), words(allowed.optional)];
  const present = Object.keys(attributes);
  return [
    ...required.filter((key) => !present.includes(key)).map((key) => `<${name}> has no ${key}`),
    ...present
      .filter((key) => ![...required, ...optional].includes(key))
      .map((key) => `<${name}> has ${key}`),
    ...children
      .filter((child) => !words(allowed.children).includes(child.name))
      .map((child) => `<${name}> has <${child.name}>`),
    ...(!allowed.text && text !== '' ? [`<${name}> has text`] : []),
    ...children.flatMap(violationsIn),
  ];
};

export const junitViolations = (document: string): readonly string[] => violationsIn(parseXml(document));
