/** Why no scenario can be run at all: bad configuration or something that is not there. A message for a person. */
export class CannotRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotRun';
  }
}

/** The exit status then, as that of wrong usage. */
export const CANNOT_RUN = 2;
