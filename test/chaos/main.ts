/** `npm run chaos -- --secs 300 --seed 7`, on proxies with `--proxies 3`: ends with a table, and status 1 if anything was not as it must be. */
import { chaosCommand } from './command.js';
import { run } from './run.js';

/** Room for all devices on each. */
const ON_PROXIES = { 'proxy-port': 0, 'proxy-slots': 20 };

await chaosCommand((chaos, { proxies }) =>
  run(chaos, proxies === 0 ? {} : { flags: { proxies, ...ON_PROXIES } }),
).parseAsync();
