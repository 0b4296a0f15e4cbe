/** `npm run chaos -- --secs 300 --seed 7`: ends with a table, and status 1 if anything was not as it must be. */
import { chaosCommand } from './command.js';
import { run } from './run.js';

await chaosCommand((chaos) => run(chaos)).parseAsync();
