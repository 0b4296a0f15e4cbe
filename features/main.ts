/**
 * Runs the features as `cucumber-js` would, by Cucumber's API. The command of Cucumber refuses a Node that it was not tested
 * with, or warns of it, and no Cucumber was tested with every Node that airbench supports.
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

const repeated = (value: string, before: readonly string[]): readonly string[] => [...before, value];

interface Flags {
  readonly config?: string;
  readonly profile: string[];
  readonly dice: Maker;
}

/** Our own flags, and those for the configuration; Cucumber reads all others, `--help` too. */
const read = (args: readonly string[]): { readonly flags: Flags; readonly others: string[] } => {
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
    .option('-p, --profile <NAME>', '', repeated, [])
    .parse(makerFlag.args, { from: 'user' });
  return { flags: { ...makerFlag.opts(), ...configuration.opts() }, others: makerFlag.args };
};

/** Makes the folders of reports. False if one cannot be made, which it says. */
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
    others,
  } = read(args);
  process.env['AIRBENCH_MAKER'] = dice;
  const { runConfiguration, useConfiguration } = await loadConfiguration({
    ...(config === undefined ? {} : { file: config }),
    profiles,
    provided: others,
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
