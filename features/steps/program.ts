/** The program itself, where nothing on the network can tell. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { DiceWorld } from '../support/world.js';

When('I run {string}', async function (this: DiceWorld, command: string) {
  const [, ...args] = command.split(' ');
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/src/cli/main.js', ...args]);
  this.printed = stdout;
});

Then('it prints {string} with the default {string}', function (this: DiceWorld, flag: string, value: string) {
  const help = this.printed.replace(/\s+/g, ' ');
  const about = help
    .slice(help.indexOf(` ${flag} `))
    .split(' --', 2)
    .join(' --');
  expect(about).to.match(new RegExp(`default: "?${value.replaceAll('.', '\\.')}"?[,)]`));
});
