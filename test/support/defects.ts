/** The uncaught exceptions during `run`, for which Mocha would fail the test. */
export const defectsDuring = async (run: () => Promise<unknown>): Promise<readonly unknown[]> => {
  const listeners = process.listeners('uncaughtException');
  const defects: unknown[] = [];
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (defect) => defects.push(defect));
  try {
    await run();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  return defects;
};
