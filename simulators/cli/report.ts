/** `--report` and `--fail-on-violation`: the violations of hosts on a strict air, for CI and for people. */
import { writeFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Findings } from '../lab/linter/findings.js';
import type { Air, Trace } from '../radio/index.js';
import { version } from '../../src/system/package.js';
import { systemReason } from '../../src/system/system-error.js';
import { fail, writeLine } from '../../src/cli/output/log.js';
import { flag, switchFlag, type Read } from '../../src/cli/options/options.js';
import { refuse } from '../../src/cli/options/usage.js';

export interface ReportFlags {
  readonly strict: boolean;
  readonly report: readonly string[];
  readonly failOnViolation: boolean;
}

const linter = () => import('../lab/linter/index.js');

const readReport: Read<readonly string[]> = (path, previous) =>
  /\.(?:xml|html)$/.test(path)
    ? E.right([...previous, path])
    : E.left('it must end in .xml, for JUnit, or in .html');

export const reportOptions = (): readonly Option[] => [
  switchFlag('--strict', 'report violations of hosts at the H4 endpoint: a log line each, GET /violations'),
  flag<readonly string[]>(
    '--report <file>',
    'with --strict, write the violations of hosts at the end: JUnit to FILE.xml, a page to FILE.html; repeatable',
    readReport,
    [],
    'none',
  ),
  switchFlag('--fail-on-violation', 'with --strict, end with status 1 after a violation of a host'),
];

/** Ends the program if a report is requested without a strict air. */
export const checkReportFlags = (
  { strict, report, failOnViolation }: ReportFlags,
  command: Command,
): void => {
  if (strict) return;
  if (report.length > 0) refuse(command, "option '--report <file>' needs --strict");
  if (failOnViolation) refuse(command, "option '--fail-on-violation' needs --strict");
};

const write = (file: string, text: string): E.Either<string, void> =>
  E.tryCatch(
    () => writeFileSync(file, text),
    (thrown) => `the report ${file} cannot be written: ${systemReason(thrown)}`,
  );

/** Writes the reports after the last host has left; reports failures on stderr and in the exit status. */
const conclude = async ({ report, failOnViolation }: ReportFlags, findings: Findings): Promise<void> => {
  const { counted, junitOf, pageOf, violationCount } = await linter();
  for (const file of report) {
    const written = write(file, file.endsWith('.xml') ? junitOf(findings) : pageOf(findings));
    if (E.isLeft(written)) fail(written.left);
  }
  const count = violationCount(findings);
  if (failOnViolation && count > 0)
    fail(`hosts broke the Core specification: ${counted(count, 'violation')}`);
  else if (report.length > 0 || failOnViolation) {
    if (findings.verdicts.every(({ checked }) => checked === 0)) {
      writeLine('no host has sent anything: nothing was checked');
    }
  }
};

/**
 * Empties the files, so that no report of an earlier run remains if this run fails. Right: writes the reports at the end.
 * Left: a message.
 */
export const openReports = (
  flags: ReportFlags,
  { violations }: Air,
  trace: Trace,
): E.Either<string, () => Promise<void>> => {
  const startedAt = Date.now();
  return pipe(
    flags.report,
    E.traverseArray((file) => write(file, '')),
    E.map(
      () => () =>
        conclude(flags, { verdicts: violations.verdicts(), startedAt, endedAt: Date.now(), version, trace }),
    ),
  );
};
