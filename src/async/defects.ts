/** Defects of code whose caller must go on: a parser of packets, a list of listeners. */

/** Leaves a defect to the last resort: of a server, a test runner, a browser. */
export const reportDefect = (defect: unknown): void =>
  queueMicrotask(() => {
    throw defect instanceof Error ? defect : new Error(String(defect));
  });

/** The result of `run`; undefined: its defect is reported. */
export const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run();
  } catch (defect) {
    reportDefect(defect);
    return undefined;
  }
};

/** A listener whose defect is reported and does not reach its caller. */
export const isolated =
  <A extends readonly unknown[]>(listener: (...news: A) => void): ((...news: A) => void) =>
  (...news) => {
    try {
      listener(...news);
    } catch (defect) {
      reportDefect(defect);
    }
  };

/** Lets a promise run by itself: its rejection is a defect. */
export const detached = (promise: PromiseLike<unknown> | undefined): void =>
  void promise?.then(undefined, reportDefect);
