import process from 'node:process';

/** What all profiles share; see docs/features.md. */
const common = {
  import: ['dist/features/support/*.js', 'dist/features/steps/*.js'],
  forceExit: false,
};

const REPORTS = process.env['AIRBENCH_REPORTS'] ?? 'reports';

/** What every run of a profile leaves in `PROFILE/` of the folder, beside the page of the contracts. */
const reported = (profile) => ({
  format: [
    'progress',
    `html:${REPORTS}/${profile}/features.html`,
    `./dist/features/report/junit.js:${REPORTS}/${profile}/junit.xml`,
    `message:${REPORTS}/${profile}/messages.ndjson`,
  ],
  // The attached logs are long: the terminal is spared them.
  formatOptions: { printAttachments: false, junit: { suiteName: `airbench ${profile}` } },
  plugin: ['./dist/features/report/plugin.js'],
  pluginOptions: { contract: { folder: REPORTS, profile } },
});

/** One rig per parallel worker, on free ports. */
export default {
  ...common,
  ...reported('simulated'),
  parallel: 2,
  worldParameters: { profile: 'simulated', patience: 15_000 },
};

/**
 * Servers and a control API that are up already: DICE_URL and CONTROL_URL say where. Their limits may be the usual ones,
 * a minute for a lost die to come back among them.
 */
export const attach = {
  ...common,
  ...reported('attach'),
  worldParameters: { profile: 'attach', patience: 75_000 },
};
