/** All mutations of a server, of its contract and by hand. */
import type { Kind } from '../../src/contract/kinds.js';
import { clockMutations } from './clock-mutations.js';
import { clockSequences } from './clock-sequences.js';
import { contractMutations } from './contract-mutations.js';
import { diceMutations } from './dice-mutations.js';
import { diceSequences } from './dice-sequences.js';
import type { Mutation } from './mutation.js';

export const mutationsOf = (kind: Kind): readonly Mutation[] => [
  ...{ dice: diceMutations, clock: clockMutations }[kind],
  ...{ dice: diceSequences, clock: clockSequences }[kind],
  ...contractMutations(kind),
];
