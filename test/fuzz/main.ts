/** `npm run fuzz -- --requests 10000 --messages 10000 --seed 7`. Ends with status 1 if anything was not as it must be. */
import { columns } from '../support/columns.js';
import { fuzzCommand } from './command.js';
import { fuzz, leakIn } from './fuzz.js';

const NAMES = ['dice', 'clock', 'control'] as const;

await fuzzCommand(async (amount) => {
  const { requests, messages, seed } = amount;
  console.log(`${requests} requests and ${messages} messages to each. To repeat exactly this run:`);
  console.log(`npm run fuzz -- --requests ${requests} --messages ${messages} --seed ${seed}`);
  const leaks: string[] = [];
  for (const name of NAMES) {
    const report = await fuzz(name, amount);
    const heap = Math.round(report.heap / 1024);
    console.log(`\n${name}: ${heap} KiB and ${report.descriptors} descriptors more than before`);
    const answers = [...report.answers].sort().map(([answer, count]) => [String(count), answer]);
    console.log(columns(['times', 'answer'], answers, ['times']));
    leaks.push(...leakIn(report).map((leak) => `${name}: ${leak}`));
  }
  return leaks;
}).parseAsync();
