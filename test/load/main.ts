/** `npm run load -- --secs 300 --seed 7`: ends with tables, and status 1 if anything was not as it must be. */
import { loadCommand } from './command.js';
import { fuzz } from './fuzz/fuzz.js';
import { run } from './run.js';

await loadCommand(async ({ load, fuzz: amount }) => [
  ...(amount.requests === 0 ? [] : await fuzz(amount)),
  ...(load === undefined ? [] : await run(load)),
]).parseAsync();
