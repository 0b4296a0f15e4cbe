/** The command of a server on a radio. */
import { Command, type Option } from 'commander';
import type { FleetContext } from '../../mqtt/index.js';
import { withConfig, withLog } from '../options/common-flags.js';
import type { Start } from './on-radio.js';
import { run } from '../process/run.js';
import { commonOptions, type ServerFlags } from '../options/server-flags.js';

/** `F`: its flags, `C`: its configuration. */
export interface ServerProgram<F extends ServerFlags, C> {
  /** `dice`: the command, and the first half of `dice server`. */
  readonly name: FleetContext['kind'];
  readonly description: string;
  readonly examples: string;
  readonly options: readonly Option[];
  readonly configOf: (flags: F) => C;
  /** Loads the server at its start alone: most uses of the command need only the flags. */
  readonly load: () => Promise<Start<C>>;
}

/** The command that runs a server until it is stopped. */
export const serverCommand = <F extends ServerFlags, C>(program: ServerProgram<F, C>): Command => {
  const { name, description, examples, options, configOf, load } = program;
  const command = new Command(name).description(description);
  for (const option of [...commonOptions(), ...options]) command.addOption(option);
  return withLog(withConfig(command))
    .addHelpText('after', examples)
    .action(async (flags: F) => {
      const [{ startOnRadio }, start] = await Promise.all([import('./on-radio.js'), load()]);
      await run(startOnRadio(name, flags, (context) => start({ ...context, config: configOf(flags) })));
    });
};
