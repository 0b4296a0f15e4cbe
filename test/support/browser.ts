import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Context } from 'mocha';
import type { Browser } from 'playwright-core';
import { requireProgram } from './require.js';

const PROGRAM = 'chromium';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const open = new Set<Browser>();

/** The path of Chromium; undefined if it is not on the PATH. */
export const findBrowser = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, PROGRAM))
    .find(isProgram);

/** A Chromium without a window; rejects without Chromium. */
export const launchBrowser = async (...args: readonly string[]): Promise<Browser> => {
  // Loaded on demand, since it takes half a second.
  const { chromium } = await import('playwright-core');
  // The sandbox of Chromium refuses root, the user of containers.
  const browser = await chromium.launch({
    executablePath: findBrowser() ?? PROGRAM,
    chromiumSandbox: false,
    args: [...args],
    // The limit of the test holds.
    timeout: 0,
  });
  open.add(browser);
  return browser;
};

/** A Chromium for a test; without Chromium the test is skipped, or fails if the run requires it. */
export const openBrowser = (test: Context, ...args: readonly string[]): Promise<Browser> => {
  requireProgram(test, PROGRAM);
  return launchBrowser(...args);
};

export const closeBrowsers = async (): Promise<void> => {
  await Promise.all([...open].map((browser) => browser.close()));
  open.clear();
};
