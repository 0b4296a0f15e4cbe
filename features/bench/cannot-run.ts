/** Why no scenario can run: bad configuration, or something missing. A message for a person. */
export class CannotRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotRun';
  }
}

/** The exit status then, as that of wrong usage. */
export const CANNOT_RUN = 2;
