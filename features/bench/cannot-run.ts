/** The reason, for a person, why no scenario can run: wrong configuration, or a missing part. */
export class CannotRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotRun';
  }
}

/** The exit status of a run that cannot start; wrong usage has the same status. */
export const CANNOT_RUN = 2;
