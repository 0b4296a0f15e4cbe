/**
 * A program that counts in several files at once, whose every version is the same number many times: `file-counter.js
 * COUNT KILL_MS PATH...`. It kills itself after KILL_MS milliseconds, wherever it is in each file then; 0 lets it
 * finish. It loads next to nothing, so that a test can run it many times.
 */
import { readText, withLock } from '../../src/clock/tokens/token-file.js';
import { systemTime } from '../../src/async/time.js';

const [count = '', killMs = '', ...paths] = process.argv.slice(2);
const TIMES = 2_000;

if (Number(killMs) > 0) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(killMs));

const countIn = async (path: string): Promise<void> => {
  for (let round = 0; round < Number(count); round++) {
    await withLock(path, systemTime, async (replace) => {
      const [before = 0] = JSON.parse((await readText(path)) ?? '[]') as readonly number[];
      await replace(JSON.stringify(Array(TIMES).fill(before + 1)));
    });
  }
};

await Promise.all(paths.map(countIn));
