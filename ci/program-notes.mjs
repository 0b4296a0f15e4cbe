/**
 * Notes by test/support/require.ts about the optional programs that test files use, and whether this machine has them: one JSON
 * object per line, in the file that a variable names.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

export const VARIABLE = 'AIRBENCH_PROGRAM_NOTES';

const readNotes = (path) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];

/** Makes a file for the notes of tests, and puts its path into their environment `env`. */
export const newNotes = (env) => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-notes-'));
  const path = join(folder, 'programs.ndjson');
  env[VARIABLE] = path;
  return { read: () => readNotes(path), remove: () => rmSync(folder, { recursive: true }) };
};

/** The notes of the current run. */
export const notesSoFar = () => readNotes(process.env[VARIABLE] ?? '');

/** The number of files with skipped tests, by the missing program. */
export const countsOfFilesWithout = (notes) => {
  const files = new Map();
  for (const { program, file, found } of notes)
    if (!found) files.set(program, (files.get(program) ?? new Set()).add(file));
  return [...files].map(([program, { size }]) => [program, size]);
};
