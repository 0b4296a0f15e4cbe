/** Scenarios that are skipped. */

/** A step throws a `Skip` if its scenario cannot run here. The reports count the reasons. */
export class Skip extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'Skip';
  }
}

/** The beginning of the log of a skipped scenario, in the reports too. */
export const SKIPPED = 'skipped: ';

/** The beginning of the reason of each scenario after the end of the run. */
export const ENDED = 'the run has ended: ';
