import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { newFolder } from '../support/folders.js';

const RIG = new URL('../../features/support/rig.js', import.meta.url).href;

/** Starts a rig like a worker of the features, and prints its URLs. */
const WORKER = `
const { startRig } = await import(${JSON.stringify(RIG)});
const { dice, control } = await startRig(process.argv[2], 'killed');
console.log(JSON.stringify([dice.url, control.url]));`;

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('The rig of a worker', () => {
  it('ends with the worker, even if the worker is killed', async () => {
    const reports = newFolder();
    const script = join(reports, 'worker.mjs');
    writeFileSync(script, WORKER);
    const worker = spawn(process.execPath, [script, reports], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: worker.stdout }), 'line')) as [string];
    const urls = JSON.parse(line) as readonly string[];
    expect(await Promise.all(urls.map(answers))).to.deep.equal([true, true]);
    worker.kill('SIGKILL');
    for (const url of urls) while (await answers(url));
  });
});
