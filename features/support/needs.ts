/** The needs of a scenario beyond servers and devices, by its tags, with the reason of a skip on a bench that lacks one. */
import type { Kind } from '../../src/contract/kinds.js';
import type { Hands } from '../actors/actor.js';
import type { Bench } from '../bench/bench.js';

interface Need {
  readonly tag: string;
  readonly isMet: (bench: Bench, hands: Hands, kind: Kind) => boolean;
  /** The reason of a skip on a bench that does not meet the need. */
  readonly reason: string;
}

/** A skip names the first need that the bench does not meet. */
export const NEEDS: readonly Need[] = [
  {
    tag: '@fault',
    isMet: ({ virtualAir }) => virtualAir,
    reason: 'needs faults on the air (simulation only)',
  },
  {
    tag: '@simulated',
    isMet: ({ virtualAir }) => virtualAir,
    reason: 'needs a device in a state that a real one cannot be put into (simulation only)',
  },
  {
    tag: '@model',
    isMet: (_bench, { readModel }) => readModel !== undefined,
    reason: 'needs to read what the device knows of itself (a control API, or a command "model")',
  },
  {
    tag: '@operator',
    isMet: (_bench, { actors }) => Object.keys(actors).length > 0,
    reason: 'needs an actor for the device (an operator at a terminal, or a command)',
  },
  {
    tag: '@destructive',
    isMet: ({ destructive }) => destructive,
    reason: 'resets a device, which the bench file does not allow ("destructive": true)',
  },
  {
    tag: '@own-server',
    isMet: ({ programs }, _hands, kind) => programs[kind] !== undefined,
    reason: 'needs a server that the features start ("hci" in the bench file), not one that is up',
  },
];
