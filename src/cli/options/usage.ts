/** Errors of a command line, in one message. */
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { printable } from '../output/print.js';

const BAD_USAGE = 2;

/** A URL with a password, as it was given, up to the host. */
const PASSWORD = /((?:(?:argument|value) '(?:\w+:\/\/)?|\/\/)[^:@/']*:).*@/is;

/** The patterns of Commander's messages about an argument, and about the nearest name. */
const ARGUMENT = /^error: command-argument value '(.*)' is invalid for argument '(.*?)'\./s;
const SUGGESTION = /\n\(Did you mean (.*)\?\)$/;

/** The error in one line, an argument in the words of a flag, without a password that was given. */
const misuse = (text: string): string => {
  const [given = '', ...reason] = text
    .trimEnd()
    .replace(SUGGESTION, '; did you mean $1?')
    .replace(ARGUMENT, "error: argument '<$2>' value '$1' is invalid.")
    .split(' is invalid. ');
  return printable([given.replace(PASSWORD, '$1***@'), ...reason].join(' is invalid: '));
};

/** Has a command end the program with one message and status 2 if it is used wrongly, with 0 after its help. */
export const endOnMisuse = (command: Command): Command =>
  command
    .configureOutput({
      outputError: (text, write) => write(`${misuse(text)}\n`),
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USAGE));

/** Ends the program as every wrong flag does. */
export const refuse = (command: Command, reason: string): never =>
  command.error(`error: ${reason}`, { exitCode: BAD_USAGE });

/** The value that was read; an error ends the program as every wrong flag does. */
export const orRefuse = <Reason, A>(
  command: Command,
  read: E.Either<Reason, A>,
  message: (reason: Reason) => string = String,
): A => E.getOrElse((reason: Reason): A => refuse(command, message(reason)))(read);
