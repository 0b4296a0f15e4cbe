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
    reason: 'needs to read the state inside a device (a control API, or a command "model" in the bench file)',
  },
  {
    tag: '@operator',
    isMet: (_bench, { actors }) => Object.keys(actors).length > 0,
    reason: 'needs an operator at a terminal, or commands in the bench file that act on the device',
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
