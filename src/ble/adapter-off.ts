import type { BleError, Radio } from './ports.js';
import { problemText } from './problem.js';

/** The failure of work for which a radio is off. */
export const adapterOff = ({ state, problem }: Pick<Radio, 'state' | 'problem'>): BleError => ({
  ...{ _tag: 'AdapterOff', state },
  ...(problem !== undefined && { reason: problemText(problem) }),
});
