import type { Command } from 'commander';
import { LOG_FORMATS, setLogFormat, type LogFormat } from '../output/log.js';
import { choiceFlag, verboseFlag } from './options.js';

/** Has a command take `--verbose` and `--log-format`. To be called after `withConfig`, whose file may have them. */
export const withLog = (command: Command): Command =>
  command
    .addOption(verboseFlag())
    .addOption(
      choiceFlag(
        '--log-format <format>',
        'format of the log on stderr: json, text, or auto (text on a terminal, else json)',
        LOG_FORMATS,
        'auto',
      ),
    )
    .hook('preAction', () => setLogFormat(command.opts<{ readonly logFormat: LogFormat }>().logFormat));
