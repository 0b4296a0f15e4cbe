/** Writes the page of the contracts from the reports of all profiles. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as t from 'io-ts';
import * as E from 'fp-ts/lib/Either.js';
import { KINDS } from '../../src/contract/kinds.js';
import { contractPage } from './page.js';
import { coverageOf, PROFILES, type Profile, type Seed } from './coverage.js';

const SeedLines = t.record(t.string, t.string);

const readSeed = (name: string): Seed => {
  const file = `features/${name}/seed-lines.json`;
  const lines = SeedLines.decode(JSON.parse(readFileSync(file, 'utf8')));
  if (E.isLeft(lines)) throw new Error(`${file} must be an object with the text of each line by its tag`);
  return { name, lines: Object.entries(lines.right).map(([tag, line]) => ({ tag, line })) };
};

/** The profiles of the project, then any other profiles of `names`. */
export const columns = (names: readonly string[]): readonly string[] => [...new Set([...PROFILES, ...names])];

/** Writes `contract.html` atomically and returns its path. */
export const writeContractPage = (reports: string, profiles: readonly Profile[]): string => {
  const coverage = coverageOf(KINDS.map(readSeed), profiles, existsSync);
  const file = join(reports, 'contract.html');
  mkdirSync(reports, { recursive: true });
  // Another run may write the page at the same time.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contractPage(coverage, Date.now()));
  renameSync(draft, file);
  return file;
};
