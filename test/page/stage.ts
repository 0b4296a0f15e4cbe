/** Chromium and the programs of a suite. */
import { after, before } from 'mocha';
import type { Browser } from 'playwright-core';
import { Control } from '../../simulators/testing/index.js';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

/** Runs `begin` before the first test; browser and programs end after the last. `args`: of Chromium. */
export const stage = (begin: (browser: Browser) => Promise<void>, ...args: readonly string[]): void => {
  before(async function () {
    await begin(await openBrowser(this, ...args));
  });
  after(async () => {
    await endPrograms();
    await closeBrowsers();
  });
};

/** Simulated devices for a server that a test starts itself. */
export const openAir = async (flags: Readonly<Record<string, number>>) => {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const air = Program.air(['--pace', 'fast', ...args]);
  return { hci: await air.url('virtual radio'), control: new Control(await air.url('control API')) };
};
