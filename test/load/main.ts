/** `npm run load -- --secs 300 --seed 7` prints tables, and ends with status 1 after any error. */
import { loadCommand } from './command.js';
import { fuzz } from './fuzz/fuzz.js';
import { run } from './run.js';

await loadCommand(async ({ load, fuzz: amount }) => [
  ...(amount.requests === 0 ? [] : await fuzz(amount)),
  ...(load === undefined ? [] : await run(load)),
]).parseAsync();
