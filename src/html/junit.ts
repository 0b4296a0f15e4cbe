/** Results of tests as JUnit XML for CI servers, valid by junit-10.xsd, the schema of Jenkins' xUnit plugin. */
import type { Html } from './index.js';
import { html as xml, nothing } from './index.js';

export interface Failure {
  readonly type: string;
  readonly message: string;
  /** The message and what explains it. */
  readonly text: string;
}

export type TestResult =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'skipped'; readonly reason: string }
  /** Passed after failed attempts. */
  | { readonly status: 'flaky'; readonly failures: readonly Failure[] };

export interface TestCase {
  readonly classname: string;
  readonly name: string;
  /** The duration in milliseconds. */
  readonly took: number;
  readonly result: TestResult;
  readonly output?: string;
}

export interface TestSuite {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly properties?: Readonly<Record<string, string>>;
  readonly cases: readonly TestCase[];
}

/** The characters that XML does not allow. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const resultOf = (result: TestResult): Html => {
  switch (result.status) {
    case 'passed':
      return nothing;
    case 'failed': {
      const { type, message, text } = result.failure;
      return xml`<failure type="${type}" message="${message}">${text}</failure>`;
    }
    case 'skipped':
      return xml`<skipped message="${result.reason}"/>`;
    case 'flaky':
      return xml`${result.failures.map(
        ({ type, message, text }) =>
          xml`<flakyFailure type="${type}" message="${message}"><stackTrace>${text}</stackTrace></flakyFailure>`,
      )}`;
  }
};

const testCase = ({ classname, name, took, result, output }: TestCase): Html => {
  const printed = output === undefined ? nothing : xml`<system-out>${output}</system-out>`;
  return xml`<testcase classname="${classname}" name="${name}" time="${seconds(took)}">${resultOf(result)}${printed}</testcase>\n`;
};

const propertyList = (properties: Readonly<Record<string, string>>): Html => {
  const list = Object.entries(properties).map(
    ([name, value]) => xml`<property name="${name}" value="${value}"/>`,
  );
  return xml`<properties>${list}</properties>\n`;
};

export const junitXml = ({ name, startedAt, endedAt, properties, cases }: TestSuite): string => {
  const count = (status: TestResult['status']): number =>
    cases.filter(({ result }) => result.status === status).length;
  const counts = xml`tests="${cases.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}"`;
  const times = xml`timestamp="${new Date(startedAt).toISOString()}" time="${seconds(endedAt - startedAt)}"`;
  const { text } = xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="${name}" ${counts} ${times}>
${properties === undefined ? nothing : propertyList(properties)}${cases.map(testCase)}</testsuite>
`;
  return text.replace(NOT_XML, '');
};
