/** Scenarios that are skipped. */

/** Thrown by a step: the scenario cannot be run here, for this reason, which is counted. */
export class Skip extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'Skip';
  }
}

/** The beginning of the log of a skipped scenario, in the reports too. */
export const SKIPPED = 'skipped: ';
