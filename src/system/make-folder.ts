/** Folders that a program makes for its own files. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './system-error.js';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

/**
 * Makes a folder and its missing parents, readable by their owner alone; rejects with the reason if that fails. One after the
 * other, since Node's `recursive` tries for ever in a folder that takes no folders, such as `/proc`.
 */
export const makeFolder = async (path: string): Promise<void> => {
  if (await isFolder(path)) return;
  const parent = dirname(resolve(path));
  await makeFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await isFolder(path))) return;
    throw codeOf(error) === 'ENOENT' ? new Error(`${parent} takes no folders`, { cause: error }) : error;
  }
};
