import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../src/system/system-error.js';

/** The reason, for a person, why no scenario can run: wrong configuration, or a missing part. */
export class CannotRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotRun';
  }
}

/** The exit status of a run that cannot start; wrong usage has the same status. */
export const CANNOT_RUN = 2;

/** Says why no scenario can run, unless another worker of the run has said it. `folder`: that of the run. */
export const sayOnce = ({ message }: CannotRun, folder: string): void => {
  try {
    writeFileSync(join(folder, 'cannot-run'), message, { flag: 'wx' });
  } catch (error) {
    // Without the folder, the run has ended for the reason of another worker.
    if (['EEXIST', 'ENOENT'].includes(String(codeOf(error)))) return;
  }
  process.stderr.write(`${message}\n`);
};
