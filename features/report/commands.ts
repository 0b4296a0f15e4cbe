/** The commands that read reports: `report` and `compare`. */
import { Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { rewriteAcceptance, signOff, type Written } from './acceptance.js';
import { compare, readCompared } from './compare.js';
import { publishAllInterrupted } from './folder.js';
import type { Signer } from './sign-off.js';

export interface SignOffFlags {
  readonly signOff?: string;
  readonly remark?: string;
}

export const signOffOptions = (): readonly Option[] => [
  new Option('--sign-off <name>', 'sign for the run: fills in name, time and remark'),
  new Option('--remark <text>', 'the remark of the signer'),
];

const LONGEST_NAME = 100;

/** The signer of the flags. Left: a message. */
export const signerOf = ({
  signOff: name,
  remark = '',
}: SignOffFlags): E.Either<string, Signer | undefined> => {
  if (name === undefined)
    return remark === ''
      ? E.right(undefined)
      : E.left('--remark needs --sign-off NAME: the name of the signer');
  if (name.trim() === '' || name.length > LONGEST_NAME)
    return E.left(
      `--sign-off must be a name of 1 to ${LONGEST_NAME} characters, got ${JSON.stringify(name)}`,
    );
  return E.right({ name: name.trim(), remark });
};

const rewritten = (reports: string, flags: SignOffFlags): E.Either<string, Written> =>
  pipe(
    signerOf(flags),
    E.chain((signer) =>
      pipe(
        rewriteAcceptance(reports),
        E.chain((written) =>
          signer === undefined ? E.right(written) : signOff(reports, written.bench, signer),
        ),
      ),
    ),
  );

const fail = (message: string): void => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
};

/** `airbench features report`. */
export const reportCommand = (): Command => {
  const command = new Command('report')
    .description('write acceptance.html again from a folder of reports, such as of several machines')
    .argument('[folder]', 'the folder of reports', 'reports')
    .action((reports: string, flags: SignOffFlags) => {
      publishAllInterrupted(reports);
      pipe(
        rewritten(reports, flags),
        E.match(fail, ({ file, judgement, replaced }) => {
          process.stdout.write(`${judgement.verdict}: ${file}\n`);
          if (replaced !== undefined)
            process.stderr.write(
              `replaced the signature of ${replaced.name}, ${replaced.at}, remark ${JSON.stringify(replaced.remark)}\n`,
            );
        }),
      );
    });
  for (const option of signOffOptions()) command.addOption(option);
  return command;
};

/** `airbench features compare`. */
export const compareCommand = (): Command =>
  new Command('compare')
    .description(
      'print the changes between two runs by line, and the changes of versions, devices and scenarios',
    )
    .argument('<a>', 'the first run: a folder of reports (its newest run), of a bench, or a file of messages')
    .argument('<b>', 'the second run')
    .addHelpText(
      'after',
      '\nThe exit status is 1 if the verdict, a line or a scenario got worse, or a run cannot be read; else 0.',
    )
    .action((a: string, b: string) =>
      pipe(
        E.Do,
        E.apS('first', readCompared(a)),
        E.apS('second', readCompared(b)),
        E.match(fail, ({ first, second }) => {
          const { lines, worse } = compare(first, second);
          process.stdout.write(`${lines.join('\n')}\n`);
          if (worse) process.exitCode = 1;
        }),
      ),
    );
