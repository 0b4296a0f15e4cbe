/** Collects all garbage. @throws if Node was not started with --expose-gc. */
export const collected = (): NodeJS.MemoryUsage => {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('the collector cannot be called: run with --expose-gc');
  for (let round = 0; round < 3; round++) gc();
  return process.memoryUsage();
};
