import { CommanderError, type Command } from 'commander';

/** What a command makes of its arguments; it is not carried out. */
export const parseFlags = (command: Command, args: readonly string[]): Record<string, unknown> => {
  let seen: Record<string, unknown> = {};
  command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action((flags: Record<string, unknown>) => {
      seen = flags;
    })
    .parse([...args], { from: 'user' });
  return seen;
};

/** What a command has against its arguments, `accepted` if nothing. */
export const refusalOf = (command: Command, args: readonly string[]): string => {
  try {
    parseFlags(command, args);
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
  return 'accepted';
};
