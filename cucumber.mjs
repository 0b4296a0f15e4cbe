/** What all profiles share; see docs/features.md. */
const common = {
  import: ['dist/features/support/*.js', 'dist/features/steps/*.js'],
  format: ['progress'],
  forceExit: false,
};

/** One rig per parallel worker, on free ports. */
export default { ...common, parallel: 2, worldParameters: { profile: 'simulated', patience: 15_000 } };

/**
 * Servers and a control API that are up already: DICE_URL and CONTROL_URL say where. Their limits may be the usual ones,
 * a minute for a lost die to come back among them.
 */
export const attach = { ...common, worldParameters: { profile: 'attach', patience: 75_000 } };
