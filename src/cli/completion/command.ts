/** `airbench completion`: TAB completes commands, flags and files in a shell. */
import { basename } from 'node:path';
import { Argument, Command } from 'commander';
import { candidatesFor, wordsIn, type Commands } from './candidates.js';
import { SCRIPTS } from './scripts.js';
import { refuse } from '../options/usage.js';

const SHELLS = [...SCRIPTS.keys()];

const EXAMPLES = `
Examples:
  source <(npx airbench completion bash)     in a shell, or for all in ~/.bashrc
  source <(npx airbench completion zsh)      the same, in ~/.zshrc
  npx airbench completion fish | source      the same, in ~/.config/fish/config.fish`;

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/** Answers the scripts. */
const requestCommand = (commands: Commands): Command =>
  new Command('request')
    .argument('<line>', 'the command line up to the cursor')
    .action(async (line: string, _flags, command: Command) => {
      const [, ...words] = wordsIn(line);
      for (const { word, description } of await candidatesFor(words, rootOf(command), commands))
        process.stdout.write(description === '' ? `${word}\n` : `${word}\t${description}\n`);
    });

export const completionCommand = (commands: Commands): Command => {
  const command = new Command('completion')
    .description('print a script with which TAB completes airbench in a shell')
    .addArgument(new Argument('[shell]', 'the shell; unless given, that of SHELL').choices(SHELLS))
    .addCommand(requestCommand(commands), { hidden: true })
    .addHelpText('after', EXAMPLES);
  return command.action((shell: string | undefined) => {
    const name = shell ?? basename(process.env['SHELL'] ?? '');
    const script = SCRIPTS.get(name);
    if (script === undefined)
      return refuse(
        command,
        `no completion for ${name === '' ? 'an unknown shell' : `the shell ${name}`}: name ${SHELLS.join(', ')}`,
      );
    process.stdout.write(script);
  });
};
