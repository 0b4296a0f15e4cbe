import { Option, type Command } from 'commander';
import { LOG_FORMATS, setLogFormat, type LogFormat } from '../output/log.js';
import { choiceFlag, grouped, verboseFlag, optionalTextFlag } from './options.js';

const general = grouped('General');

/** Adds `--config` to a command; YAML is loaded only if the flag is used. */
export const withConfig = (command: Command): Command =>
  command
    .addOption(
      general(
        optionalTextFlag(
          '--config <file>',
          'read flags by name from a YAML file; the command line and the environment take precedence',
        ),
      ),
    )
    .hook('preAction', () => {
      const { config } = command.opts<{ readonly config?: string }>();
      return config === undefined
        ? undefined
        : import('./config-file.js').then(({ applyConfig }) => applyConfig(config, command));
    });

/** Adds `--verbose`, `--log-format` and `--help` to a command, after `withConfig`: its file may set them. */
export const withLog = (command: Command): Command =>
  command
    .addOption(general(verboseFlag()))
    .addOption(
      general(
        choiceFlag(
          '--log-format <format>',
          'format of the log on stderr: json, text, or auto (text on a terminal, else json)',
          LOG_FORMATS,
          'auto',
        ),
      ),
    )
    .addHelpOption(general(new Option('-h, --help', 'display help for command')))
    .hook('preAction', () => setLogFormat(command.opts<{ readonly logFormat: LogFormat }>().logFormat));
