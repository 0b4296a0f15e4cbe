/** Errors of a command line, in one message. */
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { printable } from '../output/print.js';

const BAD_USAGE = 2;

/** A URL with a password in a message of Commander, up to the host. */
const PASSWORD = /((?:(?:argument|value) '(?:\w+:\/\/)?|\/\/)[^:@/']*:).*@/is;

/** The patterns of Commander's messages about an argument, about one that was left out, and about the nearest name. */
const ARGUMENT = /^error: command-argument value '(.*)' is invalid for argument '(.*?)'\./s;
const NO_ARGUMENT = /^(error: option '[^']* \[[^']*') argument 'null'/;
const SUGGESTION = /\n\(Did you mean (.*)\?\)$/;

/** The error in one line, with an argument in the words for a flag, and without a password of the user. */
const misuse = (text: string): string => {
  const [error = '', ...reason] = text
    .trimEnd()
    .replace(SUGGESTION, '; did you mean $1?')
    .replace(NO_ARGUMENT, '$1')
    .replace(ARGUMENT, "error: argument '<$2>' value '$1' is invalid.")
    .split(' is invalid. ');
  return printable([error.replace(PASSWORD, '$1***@'), ...reason].join(' is invalid: '));
};

/** Makes a command end the program with one message and status 2 after misuse, with 0 after its help. */
export const endOnMisuse = (command: Command): Command =>
  command
    .configureOutput({
      outputError: (text, write) => write(`${misuse(text)}\n`),
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USAGE));

/** Ends the program as a wrong flag does. */
export const refuse = (command: Command, reason: string): never =>
  command.error(`error: ${reason}`, { exitCode: BAD_USAGE });

/** The value of `read`; an error ends the program as a wrong flag does. */
export const orRefuse = <Reason, A>(
  command: Command,
  read: E.Either<Reason, A>,
  message: (reason: Reason) => string = String,
): A => E.getOrElse((reason: Reason): A => refuse(command, message(reason)))(read);
