/** Why no scenario can be run at all: bad configuration or something that is not there. A sentence for a person. */
export class CannotRun extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'CannotRun';
  }
}

/** The exit status then, as that of wrong usage. */
export const CANNOT_RUN = 2;
