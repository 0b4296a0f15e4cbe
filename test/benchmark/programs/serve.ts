/** The side of a program that `startChild` has started. */

type Question = Readonly<Record<string, unknown>>;

/** Seconds of a processor that this program has used. */
const cpuUsed = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

/** Sends `ready`, then the answer to each question; an empty one is answered with the processor's time, undefined not at all. */
export const serve = (ready: object, answer: (question: Question) => unknown = () => undefined): void => {
  process.on('message', (question: Question) => {
    const isEmpty = Object.keys(question).length === 0;
    void Promise.resolve(isEmpty ? { cpu: cpuUsed() } : answer(question)).then((answered) => {
      if (answered !== undefined) process.send?.(answered);
    });
  });
  process.on('disconnect', () => process.exit());
  process.send?.(ready);
};
