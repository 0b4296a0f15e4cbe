/** The choices of a run, and Cucumber's configuration for them. */
import { join } from 'node:path';
import type { IConfiguration } from '@cucumber/cucumber/api';
import { packageFile } from '../src/system/package.js';
import type { Maker } from './actors/makers.js';
import type { Scenario } from './report/scenario.js';
import type { Signer } from './report/sign-off.js';
import type { BenchName, Parameters, ProfileName } from './support/parameters.js';

export interface RunChoices extends Omit<Parameters, 'patience' | 'run'> {
  /** FILE, FILE:LINE or folders; empty: all features. */
  readonly paths: readonly string[];
  /** Tag expressions, which a scenario must fit all. */
  readonly tags: readonly string[];
  /** Regular expressions for names of scenarios. */
  readonly names: readonly string[];
  /** Modules with further steps. */
  readonly imports: readonly string[];
  /** Further formatters of Cucumber. */
  readonly formats: readonly string[];
  readonly retry: number;
  /** The number of workers; undefined: the default of the bench. */
  readonly parallel: number | undefined;
  readonly failFast: boolean;
  /** Whether a run that is only partly verified ends with an exit status of its own. */
  readonly complete: boolean;
  /** The person who signs for the run. */
  readonly signer?: Signer | undefined;
  readonly isDryRun: boolean;
  /** The scenarios that an interrupted run has left; undefined: all scenarios. */
  readonly rest?: readonly Scenario[];
}

/** Workers by default. Only benches with a rig for each worker have several. */
const WORKERS: Readonly<Record<BenchName, number>> = {
  ...{ simulated: 4, proxy: 2 },
  ...{ attach: 0, bench: 0, physical: 0 },
};

/** Whether each worker has a rig of its own. */
export const hasRigs = (bench: BenchName): boolean => WORKERS[bench] > 0;

/** How many processes run scenarios; 0: this one. */
export const workersOf = ({ bench, parallel }: Pick<RunChoices, 'bench' | 'parallel'>): number =>
  parallel ?? WORKERS[bench];

/** How long an expected message may take, milliseconds: of real devices, as long as the limit of a step allows. */
const patienceOf = ({ bench, urls }: RunChoices): number =>
  hasRigs(bench) || urls?.control !== undefined ? 15_000 : 50_000;

/** Features of all makers' dice are tagged `@any-maker`. */
const ofMaker = (maker: Maker): string =>
  maker === 'GoDice' ? 'not @pixels' : `(@any-maker or @${maker.toLowerCase()})`;

const tagsOf = (bench: BenchName, profile: ProfileName, maker: Maker): readonly string[] => [
  ofMaker(maker),
  bench === 'proxy' ? 'not @adapter' : 'not @proxies',
  ...(profile === 'seed' ? ['@seed'] : []),
];

/** The folder of a run's reports in the folder of all reports. */
export const reportName = ({
  bench,
  profile,
  maker,
}: Pick<RunChoices, 'bench' | 'profile' | 'maker'>): string =>
  [
    bench,
    ...(maker === 'GoDice' ? [] : [maker.toLowerCase()]),
    ...(profile === 'airbench' ? [] : [profile]),
  ].join('-');

const runFolder = (choices: RunChoices): string =>
  join(choices.reports, reportName(choices), `run-${process.pid}`);

const compiled = (path: string): string => packageFile(`dist/features/${path}`);

/** A dry run lists its scenarios in order, and writes no reports. */
const listed = ({ formats }: RunChoices): Partial<IConfiguration> => ({
  format: ['summary', ...formats],
  plugin: ['plugins/list.js', 'plugins/undefined-steps.js'].map(compiled),
  parallel: 0,
});

/** A run writes to a folder of its own until its end (report/folder.ts). */
const reported = (choices: RunChoices): Partial<IConfiguration> => {
  const name = reportName(choices);
  const run = runFolder(choices);
  return {
    format: ['progress', ['message', join(run, 'messages.ndjson')], ...choices.formats],
    // The attached logs are too long for a terminal.
    formatOptions: { printAttachments: false },
    plugin: [
      ...['plugins/undefined-steps.js', 'plugins/skips.js'],
      ...['plugins/operator.js', 'report/plugin.js'],
    ].map(compiled),
    pluginOptions: {
      report: {
        folder: choices.reports,
        bench: name,
        run,
        complete: choices.complete,
        ...(choices.signer && { signer: choices.signer }),
      },
    },
  };
};

export const configurationOf = (choices: RunChoices): Partial<IConfiguration> => {
  const { bench, profile, maker, selection, reports, urls, file, continues, rest } = choices;
  const { failFast, retry } = choices;
  const parameters: Parameters = {
    ...{ bench, profile, maker, selection, reports },
    ...{ patience: patienceOf(choices), run: runFolder(choices) },
    ...(urls === undefined ? {} : { urls }),
    ...(file === undefined ? {} : { file }),
    ...(continues === undefined ? {} : { continues }),
  };
  const output = choices.isDryRun ? listed(choices) : reported(choices);
  const tags = [...tagsOf(bench, profile, maker), ...choices.tags];
  return {
    paths: choices.paths.length > 0 ? [...choices.paths] : [packageFile('features')],
    import: [
      ...(hasRigs(bench) ? [compiled('guards/*.js')] : []),
      ...[compiled('support/*.js'), compiled('steps/*.js')],
      ...choices.imports,
    ],
    worldParameters: { ...parameters },
    tags: tags.map((expression) => `(${expression})`).join(' and '),
    name: [...choices.names],
    parallel: workersOf(choices),
    dryRun: choices.isDryRun,
    ...{ failFast, retry },
    ...output,
    ...(rest === undefined
      ? {}
      : {
          plugin: [...(output.plugin ?? []), compiled('plugins/rest.js')],
          pluginOptions: {
            ...output.pluginOptions,
            rest: { scenarios: rest.map(({ key, uri, name }) => ({ key, uri, name })) },
          },
        }),
  };
};
