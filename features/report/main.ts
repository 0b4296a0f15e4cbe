/** `npm run report` makes the page of the contracts again, for instance from messages of several machines. */
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { columns, writeContractPage } from './contract.js';
import { foldersIn, profilesIn, publishInterrupted, readRuns } from './folder.js';
import type { Profile } from './coverage.js';

const [reports = 'reports'] = process.argv.slice(2);

const profile = (name: string): E.Either<string, Profile> =>
  pipe(
    readRuns(join(reports, name)),
    E.map((recorded) => ({ name, runs: recorded.map(({ run }) => run) })),
  );

for (const name of foldersIn(reports)) publishInterrupted(join(reports, name));
const profiles = profilesIn(reports);

pipe(
  profiles.length === 0
    ? E.left(`${reports} holds no messages of any profile: run npm run features first`)
    : pipe(columns(profiles), E.traverseArray(profile)),
  E.match(
    (message) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    },
    (profiles) => void process.stdout.write(`${writeContractPage(reports, profiles)}\n`),
  ),
);
