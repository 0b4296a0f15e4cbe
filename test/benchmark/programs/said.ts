/** To the program that started this one. */
export const say = (message: unknown): void => {
  process.send?.(message);
};

export const onQuestion = (answer: (question: Readonly<Record<string, unknown>>) => unknown): void => {
  process.on('message', (question: Readonly<Record<string, unknown>>) => {
    void Promise.resolve(answer(question)).then((said) => {
      if (said !== undefined) say(said);
    });
  });
  process.on('disconnect', () => process.exit());
};

/** Seconds of a processor that this program has used. */
export const cpuUsed = (): { readonly cpu: number } => {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) / 1_000_000 };
};
