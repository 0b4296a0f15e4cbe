/** Files written with the rights of root, through which no other user may gain these rights. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

const WRITABLE_BY_ALL = 0o002;
/** Only the owner of a file can rename or remove it in such a folder. */
const STICKY = 0o1000;

/** A path, and all folders that it is in, the outermost first. */
export const withFoldersAbove = (path: string): readonly string[] => {
  const folder = dirname(path);
  return folder === path ? [path] : [...withFoldersAbove(folder), path];
};

const isChangeable = (path: string): boolean => {
  const { uid, mode } = lstatSync(path);
  if (uid !== 0 && uid !== process.geteuid?.()) return true;
  return !lstatSync(path).isSymbolicLink() && (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0;
};

/**
 * The first folder or link on the path to `folder` that another user than root and this one may replace, and so redirect
 * files that are written there. Undefined if all are safe, and on Windows.
 * @throws if a folder cannot be read
 */
export const changeableByOthers = (folder: string): string | undefined => {
  if (process.platform === 'win32') return undefined;
  const path = resolve(folder);
  return [...withFoldersAbove(path), ...withFoldersAbove(realpathSync(path))].find(isChangeable);
};

/**
 * Replaces a file atomically; a link itself, not the file that it leads to.
 * @throws the error of the system
 */
export const replaceFile = (path: string, text: string, { uid, gid, mode }: Ownership): void => {
  const fresh = `${path}.${randomUUID()}.tmp`;
  const file = openSync(fresh, 'wx', 0o600);
  try {
    try {
      writeFileSync(file, text);
      // The descriptor is used, since the name may belong to another file by now.
      fchownSync(file, uid, gid);
      fchmodSync(file, mode);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
};
