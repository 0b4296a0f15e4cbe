import type { Command } from 'commander';
import { optionalTextFlag } from './options.js';

/** Has a command take `--config`; only with it YAML is loaded. */
export const withConfig = (command: Command): Command =>
  command
    .addOption(
      optionalTextFlag(
        '--config <file>',
        'read flags by name from a YAML file; the command line and the environment take precedence',
      ),
    )
    .hook('preAction', () => {
      const { config } = command.opts<{ readonly config?: string }>();
      return config === undefined
        ? undefined
        : import('./config-file.js').then(({ applyConfig }) => applyConfig(config, command));
    });
