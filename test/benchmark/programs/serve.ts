/** The side of a program that `startChild` starts. */

type Question = Readonly<Record<string, unknown>>;

/** Seconds of a processor that this program has used. */
const cpuUsed = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

/** Sends `ready`, then each answer that is not undefined. The answer to an empty question is the processor's time. */
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
