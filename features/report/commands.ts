/** The commands that read reports: `report` and `compare`. */
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { join } from 'node:path';
import { rewriteAcceptance, signOff, type Written } from './acceptance.js';
import { foldersIn, publishInterrupted } from './folder.js';

interface ReportFlags {
  readonly signOff?: string;
  readonly remark?: string;
}

const LONGEST_NAME = 100;

const signed = (reports: string, { signOff: name, remark = '' }: ReportFlags): E.Either<string, Written> => {
  const written = rewriteAcceptance(reports);
  if (name === undefined)
    return remark === ''
      ? written
      : E.left('--remark needs --sign-off NAME: the name of who makes the remark');
  if (name.trim() === '' || name.length > LONGEST_NAME)
    return E.left(
      `--sign-off must be a name of 1 to ${LONGEST_NAME} characters, got ${JSON.stringify(name)}`,
    );
  return pipe(
    written,
    E.chain(({ bench }) => signOff(reports, bench, name.trim(), remark)),
  );
};

const fail = (message: string): void => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
};

export const reportCommand = new Command('report')
  .description(
    'writes acceptance.html again from the messages in a folder of reports, also of several machines',
  )
  .argument('[FOLDER]', 'the folder of reports', 'reports')
  .option('--sign-off <NAME>', 'signs for the newest run: fills in name, time and remark')
  .option('--remark <TEXT>', 'the remark of who signs')
  .action((reports: string, flags: ReportFlags) => {
    for (const name of foldersIn(reports)) publishInterrupted(join(reports, name));
    pipe(
      signed(reports, flags),
      E.match(fail, ({ file, judgement }) => void process.stdout.write(`${judgement.verdict}: ${file}\n`)),
    );
  });
