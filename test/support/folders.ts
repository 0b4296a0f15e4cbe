import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** An empty folder, which is removed when the tests of this file are over. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-'));
  folders.add(folder);
  return folder;
};

export const removeFolders = (): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
};

/** Mocha runs it after each file, in whatever process (.mocharc.json). */
export const mochaHooks = { afterAll: removeFolders };
