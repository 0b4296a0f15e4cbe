/**
 * The folder of reports: `BENCH/messages.ndjson` of the latest run, and in `BENCH/earlier/` each earlier run that still
 * has the last result of a scenario. A run writes to `BENCH/run-PID/` until its end.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as A from 'fp-ts/lib/ReadonlyArray.js';
import { isAlive } from '../../src/system/system-error.js';
import { parseMessages } from './messages.js';
import { readRun, type Run } from './run.js';

export const MESSAGES = 'messages.ndjson';
const EARLIER = 'earlier';

export interface RecordedRun {
  readonly file: string;
  readonly run: Run;
}

/** The run whose messages are in a file. Left is a message. */
export const readRecordedRun = (file: string): E.Either<string, RecordedRun> =>
  pipe(
    parseMessages(file, readFileSync(file, 'utf8')),
    E.map((envelopes) => ({ file, run: readRun(envelopes) })),
  );

/** Whether a run has started a scenario. A run without its bench never does. */
const hasBegun = (file: string): boolean => readFileSync(file, 'utf8').includes('{"testCaseStarted"');

const runFiles = (folder: string): readonly string[] => {
  const earlier = join(folder, EARLIER);
  const before = existsSync(earlier) ? readdirSync(earlier).map((name) => join(earlier, name)) : [];
  return [...before, join(folder, MESSAGES)].filter(
    (file) => file.endsWith('.ndjson') && existsSync(file) && hasBegun(file),
  );
};

/** The runs of a bench that have started a scenario, oldest first. Left is a message. */
export const readRuns = (folder: string): E.Either<string, readonly RecordedRun[]> =>
  pipe(
    runFiles(folder),
    E.traverseArray(readRecordedRun),
    E.map((runs) =>
      runs.filter(({ run }) => run.facts !== undefined).sort((a, b) => a.run.startedAt - b.run.startedAt),
    ),
  );

const foldersIn = (folder: string): readonly string[] =>
  existsSync(folder) && statSync(folder).isDirectory()
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : [];

/** The benches that have messages. */
export const benchesIn = (reports: string): readonly string[] =>
  foldersIn(reports).filter((name) => runFiles(join(reports, name)).length > 0);

/** Moves the latest run to the earlier runs, if it has facts. */
const archiveLatest = (folder: string): void => {
  const file = join(folder, MESSAGES);
  if (!existsSync(file)) return;
  const latest = readRecordedRun(file);
  if (E.isLeft(latest) || latest.right.run.facts === undefined) return;
  mkdirSync(join(folder, EARLIER), { recursive: true });
  const name = new Date(latest.right.run.startedAt).toISOString().replaceAll(':', '');
  renameSync(file, join(folder, EARLIER, `${name}.ndjson`));
};

/**
 * Moves the messages of an ended run from its folder to the folder of the bench, and deletes the run's folder. Of a run
 * without a started scenario nothing is moved, and the result is false.
 */
export const publish = (runFolder: string): boolean => {
  const messages = join(runFolder, MESSAGES);
  const begun = existsSync(messages) && hasBegun(messages);
  if (begun) {
    const folder = dirname(runFolder);
    archiveLatest(folder);
    renameSync(messages, join(folder, MESSAGES));
  }
  rmSync(runFolder, { recursive: true, force: true });
  return begun;
};

/** Publishes a bench's interrupted or killed runs, before this process makes its own folder there. */
export const publishInterrupted = (folder: string): void => {
  for (const name of foldersIn(folder)) {
    const [, pid] = /^run-(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid))))
      publish(join(folder, name));
  }
};

/** Publishes the interrupted or killed runs of all benches. */
export const publishAllInterrupted = (reports: string): void => {
  for (const name of foldersIn(reports)) publishInterrupted(join(reports, name));
};

/** Deletes each earlier run whose scenarios all have newer results. */
export const forgetOutdated = (runs: readonly RecordedRun[], latest: Run): void => {
  const newer = new Set(latest.outcomes.keys());
  for (const { file, run } of A.reverse(runs)) {
    const keys = [...run.outcomes.keys()];
    if (keys.every((key) => newer.has(key))) rmSync(file, { force: true });
    for (const key of keys) newer.add(key);
  }
};
