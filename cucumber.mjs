import process from 'node:process';

/** What all profiles share; see docs/features.md. */
const common = {
  import: ['dist/features/support/*.js', 'dist/features/steps/*.js'],
  forceExit: false,
};

const REPORTS = process.env['AIRBENCH_REPORTS'] ?? 'reports';

/** The maker of the dice, by the flag `--dice` (features/main.ts). What holds for dice of all makers is tagged `@any-maker`. */
const MAKER = process.env['AIRBENCH_MAKER'] ?? 'GoDice';
const ofMaker = MAKER === 'GoDice' ? 'not @pixels' : `@any-maker or @${MAKER.toLowerCase()}`;
const tags = `(${ofMaker}) and not @proxies`;

const DRY_RUN = process.argv.some((arg) => arg === '-d' || arg === '--dry-run');

/** A dry run is a list of the scenarios that would be run, in order; the reports stay those of the last run. */
const listed = { format: ['summary'], plugin: ['./dist/features/plugins/list.js'], parallel: 0 };

/**
 * What every run of a profile leaves in `PROFILE/` of the folder, beside the page of the contracts. Until it is over it
 * writes to a folder of its own (features/report/folder.ts).
 */
const reported = (profile) => {
  const folder = MAKER === 'GoDice' ? profile : `${profile}-${MAKER.toLowerCase()}`;
  const run = `${REPORTS}/${folder}/run-${process.pid}`;
  return {
    format: [
      'progress',
      `html:${run}/features.html`,
      `./dist/features/report/junit.js:${run}/junit.xml`,
      `message:${run}/messages.ndjson`,
    ],
    // The attached logs are long: the terminal is spared them.
    formatOptions: { printAttachments: false, junit: { suiteName: `airbench ${folder}` } },
    plugin: ['./dist/features/plugins/skips.js', './dist/features/report/plugin.js'],
    pluginOptions: { contract: { folder: REPORTS, profile: folder, run } },
  };
};

/** One scenario at a time, on what others started or on devices that there are but once. */
const alone = (profile, patience) => ({
  ...common,
  worldParameters: { profile, patience, maker: MAKER },
  tags,
  parallel: 0,
  ...(DRY_RUN ? listed : reported(profile)),
});

/** One rig per parallel worker, on free ports. */
export const simulated = {
  ...common,
  import: ['dist/features/guards/*.js', ...common.import],
  worldParameters: { profile: 'simulated', patience: 15_000, maker: MAKER },
  tags,
  parallel: 3,
  ...(DRY_RUN ? listed : reported('simulated')),
};

/** As `simulated`, with servers whose radio are Bluetooth proxies on the virtual one. */
export const proxy = {
  ...simulated,
  worldParameters: { ...simulated.worldParameters, profile: 'proxy' },
  tags: `(${ofMaker}) and not @adapter`,
  parallel: 2,
  ...(DRY_RUN ? listed : reported('proxy')),
};

export default simulated;

/**
 * Servers that are up already: DICE_URL, CLOCK_URL and CONTROL_URL say where, or a bench file, BENCH. Their limits may be
 * the usual ones, a minute for a lost die to come back among them.
 */
export const attach = alone('attach', 75_000);

/** A server on one adapter, a virtual device on another, as the bench file BENCH says. */
export const bench = alone('bench', 75_000);

/** Real devices, as the bench file BENCH says. */
export const physical = alone('physical', 75_000);
