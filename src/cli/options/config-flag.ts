import type { Command } from 'commander';
import { optionalTextFlag } from './options.js';

/** Has a command take `--config`; only with it YAML is loaded. */
export const withConfig = (command: Command): Command =>
  command
    .addOption(
      optionalTextFlag(
        '--config <file>',
        'flags by their names in a YAML file; command line and environment come first',
      ),
    )
    .hook('preAction', () => {
      const { config } = command.opts<{ readonly config?: string }>();
      return config === undefined
        ? undefined
        : import('./config-file.js').then(({ applyConfig }) => applyConfig(config, command));
    });
