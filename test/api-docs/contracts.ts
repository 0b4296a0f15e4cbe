import { contract as control } from '../../simulators/control/contract.js';
import { builtInKinds } from '../../simulators/control/index.js';
import { contract as clock } from '../../src/clock/contract.js';
import { contract as dice } from '../../src/dice/contract.js';

/** In the order in which they are walked. */
export const contracts = [dice, clock, control(builtInKinds)] as const;
