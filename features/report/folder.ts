/**
 * The folder of reports: `PROFILE/messages.ndjson` of the latest run, and in `PROFILE/earlier/` those runs before it
 * that still hold the last result of some scenario.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as A from 'fp-ts/lib/ReadonlyArray.js';
import { parseMessages } from './messages.js';
import { readRun, type Run } from './run.js';

export const MESSAGES = 'messages.ndjson';
const EARLIER = 'earlier';

export interface RecordedRun {
  readonly file: string;
  readonly run: Run;
}

const readFile = (file: string): E.Either<string, RecordedRun> =>
  pipe(
    parseMessages(file, readFileSync(file, 'utf8')),
    E.map((envelopes) => ({ file, run: readRun(envelopes) })),
  );

/** A run that ended before its first scenario, since its bench was not there, has nothing to tell. */
const hasBegun = (file: string): boolean => readFileSync(file, 'utf8').includes('{"testCaseStarted"');

const runFiles = (folder: string, which: 'all' | 'earlier'): readonly string[] => {
  const earlier = join(folder, EARLIER);
  const before = existsSync(earlier) ? readdirSync(earlier).map((name) => join(earlier, name)) : [];
  const files = which === 'all' ? [...before, join(folder, MESSAGES)] : before;
  return files.filter((file) => file.endsWith('.ndjson') && existsSync(file) && hasBegun(file));
};

/** The runs of a profile that came to a scenario, oldest first. Left is a sentence. */
export const readRuns = (
  folder: string,
  which: 'all' | 'earlier' = 'all',
): E.Either<string, readonly RecordedRun[]> =>
  pipe(
    runFiles(folder, which),
    E.traverseArray(readFile),
    E.map((runs) =>
      runs
        .filter(({ run }) => run.facts !== undefined)
        .sort((one, other) => one.run.startedAt - other.run.startedAt),
    ),
  );

/** The profiles of which there are messages. */
export const profilesIn = (reports: string): readonly string[] =>
  existsSync(reports) && statSync(reports).isDirectory()
    ? readdirSync(reports, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && runFiles(join(reports, entry.name), 'all').length > 0)
        .map(({ name }) => name)
    : [];

/** Puts the latest run aside, before a new one takes its place; one that broke off is not worth it. */
export const putAside = (folder: string): void => {
  const file = join(folder, MESSAGES);
  if (!existsSync(file)) return;
  const latest = readFile(file);
  if (E.isLeft(latest) || latest.right.run.facts === undefined) return;
  mkdirSync(join(folder, EARLIER), { recursive: true });
  const name = new Date(latest.right.run.startedAt).toISOString().replaceAll(':', '');
  renameSync(file, join(folder, EARLIER, `${name}.ndjson`));
};

/** Deletes those earlier runs of which every scenario has a newer result. */
export const forgetOutdated = (runs: readonly RecordedRun[], latest: Run): void => {
  const newer = new Set(latest.outcomes.keys());
  for (const { file, run } of A.reverse(runs)) {
    const keys = [...run.outcomes.keys()];
    if (basename(file) !== MESSAGES && keys.every((key) => newer.has(key))) rmSync(file);
    for (const key of keys) newer.add(key);
  }
};
