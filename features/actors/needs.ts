/** The needs of a scenario beyond servers and devices, by its tags, and the reason of a skip where a bench lacks it. */

export type Need = 'air' | 'model' | 'actors' | 'destructive' | 'program';

interface TaggedNeed {
  readonly tag: string;
  readonly need: Need;
  /** Why the scenario is skipped where the bench lacks it. */
  readonly reason: string;
}

/** The first that is lacking counts. */
export const NEEDS: readonly TaggedNeed[] = [
  { tag: '@fault', need: 'air', reason: 'needs faults on the air (simulation only)' },
  {
    ...{ tag: '@simulated', need: 'air' },
    reason: 'needs a device in a state that a real one cannot be put into (simulation only)',
  },
  {
    ...{ tag: '@model', need: 'model' },
    reason: 'needs to read what the device knows of itself (a control API, or a command "model")',
  },
  {
    ...{ tag: '@operator', need: 'actors' },
    reason: 'needs an actor for the device (an operator at a terminal, or a command)',
  },
  {
    ...{ tag: '@destructive', need: 'destructive' },
    reason: 'resets a device, which the bench file does not allow ("destructive": true)',
  },
  {
    ...{ tag: '@own-server', need: 'program' },
    reason: 'needs a server that the features start ("hci" in the bench file), not one that is up',
  },
];

/** Thrown by a step: the scenario cannot be run here, for this reason, which is counted. */
export class Skip extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'Skip';
  }
}

/** The beginning of the log of a skipped scenario, in the reports too. */
export const SKIPPED = 'skipped: ';
