/** The end of a run by Ctrl-C: the step under way ends, devices are put back, the reports are published. */

/** A step that Ctrl-C has ended. Its scenario has no result, so that `--resume` runs it. */
export class Interrupted extends Error {
  constructor() {
    super('the run was interrupted');
    this.name = 'Interrupted';
  }
}

/** The status of a program that SIGINT has ended. */
export const INTERRUPTED = 130;

const controller = new AbortController();

/** Ends the run after the scenario under way; the second call ends it at once. */
export const interrupt = (): void => {
  if (controller.signal.aborted) process.exit(INTERRUPTED);
  controller.abort(new Interrupted());
};

export const isInterrupted = (): boolean => controller.signal.aborted;

/** Does `work`, but rejects with `Interrupted` at Ctrl-C, and does nothing after it. */
export const unlessInterrupted = async <A>(work: () => Promise<A>): Promise<A> => {
  const { signal } = controller;
  signal.throwIfAborted();
  let end: (() => void) | undefined;
  const interruption = new Promise<never>((_, reject) => {
    end = () => reject(new Interrupted());
    signal.addEventListener('abort', end);
  });
  try {
    return await Promise.race([work(), interruption]);
  } finally {
    if (end !== undefined) signal.removeEventListener('abort', end);
  }
};
