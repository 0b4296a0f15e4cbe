/** `airbench features`: runs the features against servers, and reports. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { packageFile } from '../src/system/package.js';
import { systemReason } from '../src/system/system-error.js';
import { makers, type Maker } from './actors/makers.js';
import { benchOf, readBenchFile, url } from './bench/bench-file.js';
import { CANNOT_RUN } from './bench/cannot-run.js';
import {
  compareCommand,
  reportCommand,
  signerOf,
  signOffOptions,
  type SignOffFlags,
} from './report/commands.js';
import { remainingScenarios, type Rest } from './report/continued.js';
import { configurationOf, hasRigs, reportName, type RunChoices } from './configuration.js';
import { listSteps } from './steps-list.js';
import { idleArguments } from './selection.js';
import { runAll } from './workers.js';
import { PROFILE_NAMES, type ProfileName } from './support/parameters.js';

const FAILED = 1;

interface Flags extends SignOffFlags {
  readonly dice?: string;
  readonly clock?: string;
  readonly control?: string;
  readonly bench?: string;
  readonly proxies?: true;
  readonly simulated?: true;
  readonly profile: ProfileName;
  readonly maker: Maker;
  readonly tags: readonly string[];
  readonly name: readonly string[];
  readonly report: string;
  readonly retry: number;
  readonly parallel?: number;
  readonly failFast?: true;
  readonly complete?: true;
  readonly dryRun?: true;
  readonly steps?: true | readonly string[];
  readonly resume?: true;
  readonly import: readonly string[];
  readonly format: readonly string[];
}

const EXAMPLES = `
Examples:
  npx airbench features                                    both servers on a virtual radio
  npx airbench features --bench bench.json                 real devices, listed in a file
  npx airbench features --dice http://localhost:3000 --clock http://localhost:3001 --control http://localhost:3100
                                                           servers of a rig that is up
  npx airbench features --tags '@D-led' --report led       a line of the interface documents, reported in a folder`;

const readUrl = (input: string): string => {
  if (E.isLeft(url.decode(input))) throw new InvalidArgumentError(`it must be ${url.name}`);
  return input;
};

const readCount = (input: string): number => {
  if (!/^\d{1,2}$/.test(input)) throw new InvalidArgumentError('it must be a whole number from 0 to 99');
  return Number(input);
};

const repeatable = (
  flags: string,
  description: string,
  problemOf: (value: string) => string | undefined = () => undefined,
): Option =>
  new Option(flags, `${description}; repeatable`)
    .argParser((value: string, earlier: readonly string[]) => {
      const problem = value.trim() === '' ? 'it must not be empty' : problemOf(value);
      if (problem !== undefined) throw new InvalidArgumentError(problem);
      return [...earlier, value];
    })
    .default([], 'none');

const patternProblem = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern);
    return undefined;
  } catch {
    return 'it must be a regular expression';
  }
};

const fileProblem = (file: string): string | undefined =>
  existsSync(file) ? undefined : 'there is no such file';

const SERVERS: readonly Option[] = [
  new Option('--simulated', 'both servers on a virtual radio, started for the run; the default'),
  new Option('--proxies', 'the same, with Bluetooth proxies in place of the radio of a machine'),
  new Option('--dice <url>', 'a dice server that is up').argParser(readUrl),
  new Option('--clock <url>', 'a clock server that is up').argParser(readUrl),
  new Option('--control <url>', 'the control API of the virtual devices of these servers').argParser(readUrl),
  new Option('--bench <file>', 'a bench file: servers, devices and actors'),
];

const CHOICES: readonly Option[] = [
  new Option(
    '--profile <name>',
    'what is claimed: airbench, all of the contract; seed, what the interface documents state themselves',
  )
    .choices(PROFILE_NAMES)
    .default('airbench'),
  new Option('--maker <maker>', 'the maker of the dice').choices(makers).default('GoDice'),
  repeatable('--tags <expression>', "scenarios with these tags, such as '@D-led and not @operator'"),
  repeatable('--name <pattern>', 'scenarios whose names match a regular expression', patternProblem),
  new Option('--resume', 'run the scenarios without a result in the last, interrupted run on this bench'),
  new Option(
    '--steps [words...]',
    'run nothing; list the steps with these words, or all steps, and their uses',
  ),
  new Option('--dry-run', 'list the scenarios, without a bench'),
];

const RUN: readonly Option[] = [
  new Option('--report <folder>', 'folder of the reports').default('reports').env('AIRBENCH_REPORTS'),
  new Option('--retry <times>', 'attempts after a failure; a scenario that passes then is flaky')
    .argParser(readCount)
    .default(0),
  new Option(
    '--parallel <workers>',
    'scenarios that run at the same time; for --simulated and --proxies alone',
  ).argParser(readCount),
  new Option('--fail-fast', 'end after the first failure'),
  new Option('--complete', 'end with status 3 if the verdict is "partly verified"'),
  repeatable('--import <file>', 'a module with steps of your own', fileProblem),
  repeatable('--format <formatter>', 'a further formatter of Cucumber, such as json:FILE'),
];

const GROUPS = {
  'Servers and devices:': SERVERS,
  'Scenarios:': CHOICES,
  'Run and reports:': [...RUN, ...signOffOptions()],
};

/** A path of the package, if the working folder does not have it. */
const located = (path: string): string => {
  const [file = '', line = ''] = /^(.*?)((?::\d+)*)$/.exec(path)?.slice(1) ?? [];
  const ofPackage = packageFile(file);
  return (!existsSync(file) && existsSync(ofPackage) ? ofPackage : resolve(file)) + line;
};

/** `TYPE:FILE` with the file in the working folder. */
const formatter = (format: string): string => {
  const [, type, file] = /^([\w-]{2,}):(?!\/\/)(.+)$/.exec(format) ?? [];
  return type === undefined || file === undefined ? format : `${type}:${resolve(file)}`;
};

type Place = Pick<RunChoices, 'bench' | 'urls' | 'file'>;

/** The bench of the flags. Left: a message. */
const placeOf = ({ simulated, proxies, dice, clock, control, bench }: Flags): E.Either<string, Place> => {
  const urls = { ...(dice && { dice }), ...(clock && { clock }), ...(control && { control }) };
  const places = [
    ...(simulated ? ['--simulated'] : []),
    ...(proxies ? ['--proxies'] : []),
    ...(Object.keys(urls).length > 0 ? [`--${Object.keys(urls).join(', --')}`] : []),
    ...(bench === undefined ? [] : ['--bench']),
  ];
  if (places.length > 1) return E.left(`${places.join(' and ')} exclude each other`);
  if (control !== undefined && dice === undefined && clock === undefined)
    return E.left('--control needs --dice, --clock or both');
  if (bench !== undefined) {
    const file = resolve(bench);
    return E.map((read: Parameters<typeof benchOf>[0]): Place => ({ bench: benchOf(read), file }))(
      readBenchFile(file),
    );
  }
  if (Object.keys(urls).length > 0) return E.right({ bench: 'attach', urls });
  return E.right({ bench: proxies ? 'proxy' : 'simulated' });
};

/** Scenarios at the same time would disturb each other on one bench, or on servers that are up. */
const requireRigs = ({ parallel }: Flags, place: Place): E.Either<string, Place> =>
  parallel === undefined || parallel === 0 || hasRigs(place.bench)
    ? E.right(place)
    : E.left(`the bench ${place.bench} runs one scenario at a time: omit --parallel`);

const choicesOf = (paths: readonly string[], flags: Flags, place: Place): RunChoices => ({
  ...place,
  profile: flags.profile,
  maker: flags.maker,
  reports: resolve(flags.report),
  selection: [
    ...paths,
    ...flags.tags.map((tags) => `--tags '${tags}'`),
    ...flags.name.map((name) => `--name '${name}'`),
  ],
  paths: paths.map(located),
  tags: flags.tags,
  names: flags.name,
  imports: flags.import.map((file) => resolve(file)),
  formats: flags.format.map(formatter),
  retry: flags.retry,
  parallel: flags.parallel,
  failFast: flags.failFast ?? false,
  complete: flags.complete ?? false,
  isDryRun: flags.dryRun ?? false,
});

/** The choices for the rest of the last run on the same bench. Left: a message. */
const resumed = (choices: RunChoices): E.Either<string, RunChoices> => {
  if (choices.selection.length > 0)
    return E.left(`--resume runs what is left of the last run: omit ${choices.selection.join(' ')}`);
  const rest = remainingScenarios(choices.reports, reportName(choices), packageFile(''));
  return E.map(({ scenarios, files, continues, selection }: Rest) => ({
    ...{ ...choices, continues, selection },
    ...{ rest: scenarios, paths: files },
  }))(rest);
};

const loadCucumber = async (command: Command) => {
  try {
    return await import('@cucumber/cucumber/api');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return command.error(
      'error: airbench features needs Cucumber beside airbench: npm install --save-dev @cucumber/cucumber',
      { exitCode: CANNOT_RUN },
    );
  }
};

/** Makes the folders of reports. */
const makeFolders = (files: readonly string[], command: Command): void => {
  for (const file of files) {
    try {
      mkdirSync(dirname(file), { recursive: true });
    } catch (thrown) {
      const reason = systemReason(thrown);
      command.error(`error: the report ${file} cannot be written (--report names a folder): ${reason}`, {
        exitCode: CANNOT_RUN,
      });
    }
  }
};

const run = async (choices: RunChoices, command: Command): Promise<void> => {
  const cucumber = await loadCucumber(command);
  const { loadConfiguration, loadSources, loadSupport } = cucumber;
  // Places in reports are relative to the package.
  const environment = { cwd: packageFile('') };
  const { runConfiguration } = await loadConfiguration(
    { file: false, provided: configurationOf(choices) },
    environment,
  );
  const idle = await idleArguments(runConfiguration.sources, choices, (sources) =>
    loadSources(sources, environment),
  );
  if (idle.length > 0) command.error(`error: ${idle.join('; ')}`, { exitCode: CANNOT_RUN });
  makeFolders(Object.keys(runConfiguration.formats.files), command);
  try {
    // Cucumber does not recognise steps that are loaded again.
    const support = await loadSupport(runConfiguration, environment);
    const runPart = async (part: RunChoices, receive: (envelope: unknown) => void): Promise<boolean> => {
      const { runConfiguration: configuration } = await loadConfiguration(
        { file: false, provided: configurationOf(part) },
        environment,
      );
      return (await cucumber.runCucumber({ ...configuration, support }, environment, receive)).success;
    };
    process.exitCode = (await runAll(choices, runPart)) ? 0 : FAILED;
  } catch (error) {
    // For instance a module of steps that cannot be loaded.
    process.stderr.write(`error: ${(error as Error).stack ?? String(error)}\n`);
    process.exit(CANNOT_RUN);
  }
};

export const featuresCommand = (): Command => {
  const command = new Command('features')
    .description('run the acceptance tests of both servers, and report')
    .argument('[paths...]', 'feature files or folders, FILE or FILE:LINE')
    .enablePositionalOptions()
    .addCommand(reportCommand())
    .addCommand(compareCommand())
    .addHelpText('after', EXAMPLES);
  for (const [heading, options] of Object.entries(GROUPS))
    for (const option of options) command.addOption(option.helpGroup(heading));
  return command.action(async (paths: readonly string[], flags: Flags) => {
    if (flags.steps !== undefined) {
      const words = flags.steps === true ? [] : flags.steps;
      process.stdout.write(await listSteps(await loadCucumber(command), words));
      return;
    }
    const choices = pipe(
      E.Do,
      E.apS(
        'place',
        pipe(
          placeOf(flags),
          E.chain((place) => requireRigs(flags, place)),
        ),
      ),
      E.apS('signer', signerOf(flags)),
      E.map(({ place, signer }) => ({ ...choicesOf(paths, flags, place), signer })),
      E.chain((all) => (flags.resume ? resumed(all) : E.right(all))),
    );
    if (E.isLeft(choices)) return command.error(`error: ${choices.left}`, { exitCode: CANNOT_RUN });
    await run(choices.right, command);
  });
};
