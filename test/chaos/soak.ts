/** `npm run soak -- --minutes 60 --seed 7`: ends with what each program holds, and status 1 if it grows or an event is wrong. */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { closeBrowsers, launchBrowser } from '../support/browser.js';
import { startAedes } from '../support/mqtt.js';
import { soakCommand } from './command.js';
import { Consumer } from './consumer.js';
import { Resources } from './resources.js';
import type { Rig } from './rig.js';
import { run, type Between } from './run.js';
import type { Tally } from './tally.js';

const PROFILES = 'reports/soak';

/** All three, in one browser. */
const openPages = async ({ urls }: Rig, tally: Tally): Promise<ReadonlyMap<string, Page>> => {
  const browser = await launchBrowser();
  const open = async (name: string, url: string): Promise<readonly [string, Page]> => {
    const page = await browser.newPage();
    page.on('pageerror', (error) => tally.problem(`the page of ${name}: ${String(error)}`));
    page.on('crash', () => tally.problem(`the page of ${name} crashed`));
    await page.goto(url);
    return [name, page];
  };
  return new Map([
    await open('dice', urls.dice),
    await open('clocks', urls.clock),
    await open('the air', urls.control),
  ]);
};

await soakCommand(async (chaos, { pages, prof, heap }) => {
  mkdirSync(PROFILES, { recursive: true });
  const broker = await startAedes();
  const consumer = await Consumer.open(broker.port);
  let resources: Resources | undefined;
  let told = 0;
  const between = async (moment: Between): Promise<void> => {
    const { rig, tally, at } = moment;
    if (resources === undefined) resources = new Resources(pages ? await openPages(rig, tally) : new Map());
    else await consumer.judge(moment);
    await resources.sample(rig, at);
    const { problems, operations } = tally;
    console.log(`${(at / 60).toFixed(1)} min: ${operations} operations, ${problems.length} problems`);
    for (const problem of problems.slice(told)) console.log(`- ${problem}`);
    told = problems.length;
  };
  const problems = await run(chaos, {
    between,
    flags: { mqtt: `mqtt://127.0.0.1:${broker.port}`, name: 'soak' },
    nodeFlags: [
      ...(prof ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : []),
      ...(heap ? ['--heap-prof', `--heap-prof-dir=${PROFILES}`] : []),
    ],
  });
  await closeBrowsers();
  await consumer.close();
  await broker.close();
  const { lines, growing } = resources?.report() ?? { lines: [], growing: [] };
  for (const line of lines) console.log(line);
  return [...problems, ...growing];
}).parseAsync();
