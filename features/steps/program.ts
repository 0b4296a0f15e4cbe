/** Steps about the program's output and exit status. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Then, When } from '@cucumber/cucumber';
import { containing, expect, listOf, matching } from '../expect/expect.js';
import { AIRBENCH } from '../../src/system/package.js';
import type { Scenario } from '../support/scenario.js';

When('I run {string}', async function (this: Scenario, command: string) {
  const [, ...args] = command.split(' ');
  const { stdout } = await promisify(execFile)(process.execPath, [AIRBENCH, ...args]);
  this.printed = stdout;
});

When('I run {string}, which fails', async function (this: Scenario, command: string) {
  const [, ...args] = command.split(' ');
  const child = execFile(process.execPath, [AIRBENCH, ...args]);
  child.stderr?.on('data', (chunk: string) => (this.printed += chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  this.remembered.set('status', status);
});

Then(
  'it ends with status {int} and one message naming {string}',
  function (this: Scenario, status: number, name: string) {
    expect('exit status', this.remembered.get('status'), status);
    expect('printed lines', this.printed.trim().split('\n'), listOf(1));
    expect('printed', this.printed, containing(name));
  },
);

Then('it prints {string} with the default {string}', function (this: Scenario, flag: string, value: string) {
  const help = this.printed.replace(/\s+/g, ' ');
  const description = help
    .slice(help.indexOf(` ${flag} `))
    .split(' --', 2)
    .join(' --');
  const pattern = new RegExp(`default: "?${value.replaceAll('.', '\\.')}"?[,)]`);
  expect(`printed about ${flag}`, description, matching(`a text with the default ${value}`, pattern));
});
