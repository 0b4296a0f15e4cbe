/** `npm run load -- --secs 300 --seed 7` prints tables, and ends with status 1 after any error. */
import { loadCommand } from './command.js';

// The parts are loaded once the flags are read: fuzzing alone takes a second to load.
await loadCommand(async ({ load, fuzz: amount }) => [
  ...(amount.requests === 0 ? [] : await (await import('./fuzz/fuzz.js')).fuzz(amount)),
  ...(load === undefined ? [] : await (await import('./run.js')).run(load)),
]).parseAsync();
