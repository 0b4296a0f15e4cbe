/** The defects that reach the process's last resort during `run`; Mocha would fail the test for them. */
export const defectsDuring = async (run: () => Promise<unknown>): Promise<readonly unknown[]> => {
  const others = process.listeners('uncaughtException');
  const defects: unknown[] = [];
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (defect) => defects.push(defect));
  try {
    await run();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
  }
  return defects;
};
