/** Chromium and programs for all tests of a suite. */
import { expect } from 'chai';
import { after, before } from 'mocha';
import type { Browser } from 'playwright-core';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { portOf, post } from '../support/client.js';
import { endPrograms, Program } from '../../src/testing/internal/program.js';

/** Has `begin` do all that comes before the first test; browser and programs end after the last. `args`: of Chromium. */
export const stage = (begin: (browser: Browser) => Promise<void>, ...args: readonly string[]): void => {
  before(async function () {
    await begin(await openBrowser(this, ...args));
  });
  after(async () => {
    endPrograms();
    await closeBrowsers();
  });
};

export type Flags = Readonly<Record<string, string | number>>;

const flagsOf = (flags: Flags): readonly string[] => {
  const all: Flags = { pace: 'fast', ...flags };
  return Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
};

/** Where the parts of a rig are. */
export interface Urls {
  readonly dice: string;
  readonly clock: string;
  readonly control: string;
}

export const openRig = async (flags: Flags): Promise<Urls> => {
  const rig = Program.rig(flagsOf(flags));
  return {
    dice: await rig.url('dice server'),
    clock: await rig.url('clock server'),
    control: await rig.url('control API'),
  };
};

/** Simulated devices for a server that a test starts itself. */
export const openAir = async (flags: Flags): Promise<{ readonly hci: string; readonly control: string }> => {
  const air = Program.air(flagsOf(flags));
  return { hci: await air.url('virtual radio'), control: await air.url('control API') };
};

/** Asks the control API at `control` for what must work. */
export const change = async (
  control: string,
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
): Promise<void> => {
  const { status } = await post(portOf(control), path, body, { method });
  expect(status).to.equal(200);
};
