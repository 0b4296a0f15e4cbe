/** `npm run fuzz -- --requests 10000 --messages 10000 --seed 7`. Ends with status 1 if anything was not as it must be. */
import { fuzzCommand } from './command.js';
import { fuzz, leakIn } from './fuzz.js';

const NAMES = ['dice', 'clock', 'control'] as const;

await fuzzCommand(async (amount) => {
  const { requests, messages, seed } = amount;
  console.log(`${requests} requests and ${messages} messages to each. To repeat exactly this run:`);
  console.log(`npm run fuzz -- --requests ${requests} --messages ${messages} --seed ${seed}`);
  for (const name of NAMES) {
    const report = await fuzz(name, amount);
    const leak = leakIn(report);
    const heap = Math.round(report.heap / 1024);
    console.log(`\n${name}: ${heap} KiB and ${report.descriptors} descriptors more than before`);
    for (const [answer, count] of [...report.answers].sort())
      console.log(`${String(count).padStart(8)}  ${answer}`);
    if (leak !== undefined) {
      console.log(`PROBLEM: ${leak}`);
      process.exitCode = 1;
    }
  }
}).parseAsync();
