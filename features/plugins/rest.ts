/** Leaves only the rest of an interrupted run (`--resume`). */
import type { Plugin } from '@cucumber/cucumber/api';
import { stillRemaining, type Named } from '../report/continued.js';
import { scenarioOf } from '../report/scenario.js';

const plugin: Plugin<{ readonly scenarios: readonly Named[] }> = {
  type: 'plugin',
  optionsKey: 'rest',
  coordinator: ({ transform, options }) =>
    transform('pickles:filter', (pickles) => [
      ...stillRemaining(options.scenarios, pickles, ({ pickle }) => scenarioOf(pickle)),
    ]),
};

export default plugin;
