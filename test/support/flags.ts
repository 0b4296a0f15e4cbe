import { CommanderError, type Command } from 'commander';

const endingByError = (command: Command): Command =>
  command.exitOverride().configureOutput({ writeErr: () => undefined });

const accepting = (command: Command): Command => endingByError(command).action(() => undefined);

/** The options that a command reads from its arguments; it is not carried out. */
export const parseFlags = (command: Command, args: readonly string[]): Record<string, unknown> =>
  accepting(command)
    .parse([...args], { from: 'user' })
    .opts();

/** The options that a command reads from its arguments and the file of `--config`. */
export const parseConfigured = async (
  command: Command,
  args: readonly string[],
): Promise<Record<string, unknown>> => {
  const parsed = await accepting(command).parseAsync([...args], { from: 'user' });
  return parsed.opts();
};

/** The refusal of a command that is carried out with these arguments, or `accepted`. */
export const misuseOf = async (command: Command, args: readonly string[]): Promise<string> => {
  try {
    await endingByError(command).parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
  return 'accepted';
};

/** The help of a command on a terminal of 80 columns. */
export const helpOf = (command: Command): string => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 }).outputHelp();
  return help;
};

/** The refusal of a command's configuration file, or `accepted`. */
export const configRefusalOf = (command: Command, args: readonly string[]): Promise<string> =>
  misuseOf(accepting(command), args);

/** The refusal of a command's arguments, or `accepted`. */
export const refusalOf = (command: Command, args: readonly string[]): string => {
  try {
    parseFlags(command, args);
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
  return 'accepted';
};
