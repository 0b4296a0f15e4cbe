/**
 * Runs the features like `cucumber-js`, by Cucumber's API. The command `cucumber-js` refuses or warns of a Node.js that it
 * was not tested with, and no Cucumber was tested with every Node.js that airbench supports.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { loadConfiguration, runCucumber } from '@cucumber/cucumber/api';
import { Command, Option } from 'commander';
import { makers, type Maker } from './actors/makers.js';
import { systemReason } from '../src/system/system-error.js';

const CANNOT_LOAD = 1;
const FAILED = 1;
/** The same status as for a profile that cannot run. */
const CANNOT_RUN = 2;

const collect = (value: string, earlier: readonly string[]): readonly string[] => [...earlier, value];

interface Flags {
  readonly config?: string;
  readonly profile: string[];
  readonly dice: Maker;
}

/** The flags of this program. Cucumber reads all other arguments, `--help` too. */
const read = (args: readonly string[]): { readonly flags: Flags; readonly cucumberArgs: string[] } => {
  const makerFlag = new Command()
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .addOption(new Option('--dice <MAKER>').choices(makers).default('GoDice'))
    .parse(args, { from: 'user' });
  const configuration = new Command()
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .option('-c, --config <PATH>')
    .option('-p, --profile <NAME>', '', collect, [])
    .parse(makerFlag.args, { from: 'user' });
  return { flags: { ...makerFlag.opts(), ...configuration.opts() }, cucumberArgs: makerFlag.args };
};

/** Makes the folders of reports. False, with a message on stderr, if a folder cannot be made. */
const makeFolders = (files: readonly string[]): boolean =>
  files.every((file) => {
    try {
      mkdirSync(dirname(file), { recursive: true });
      return true;
    } catch (thrown) {
      const reason = systemReason(thrown);
      process.stderr.write(
        `the report ${file} cannot be written (AIRBENCH_REPORTS names a folder): ${reason}\n`,
      );
      return false;
    }
  });

const run = async (args: readonly string[]): Promise<void> => {
  const {
    flags: { config, profile: profiles, dice },
    cucumberArgs,
  } = read(args);
  process.env['AIRBENCH_MAKER'] = dice;
  const { runConfiguration, useConfiguration } = await loadConfiguration({
    ...(config === undefined ? {} : { file: config }),
    profiles,
    provided: cucumberArgs,
  });
  if (!makeFolders(Object.keys(runConfiguration.formats.files))) process.exit(CANNOT_RUN);
  const { success } = await runCucumber(runConfiguration);
  process.exitCode = success ? 0 : FAILED;
  if (useConfiguration.forceExit) process.exit();
};

await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(CANNOT_LOAD);
});
