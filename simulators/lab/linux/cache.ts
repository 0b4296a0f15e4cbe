import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../src/system/system-error.js';
import { Missing } from './program.js';

/** `AIRBENCH_CACHE`, or `airbench` in the folder of this user's caches. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env['AIRBENCH_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'airbench');

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days: a new folder removes older folders of the same name, finished or not, without a use in this time. */
const KEPT_DAYS = 30;

const folderOf = (name: string, ingredients: readonly string[]): string => {
  const key = createHash('sha256').update(JSON.stringify(ingredients)).digest('hex').slice(0, 12);
  return join(cacheFolder(), `${name}-${key}`);
};

/** Whether the folder of these ingredients exists. */
export const isCached = (name: string, ingredients: readonly string[]): boolean =>
  existsSync(folderOf(name, ingredients));

/** Node's error, or the last lines of cp, tar, dpkg-deb or apt-get. */
const isDiskFull = (error: unknown): boolean =>
  /no space left on device|enough free space/i.test(messageOf(error));

const noRoom = (folder: string): string =>
  `the disk of ${folder} is full: free some space, with \`npx airbench linux --prune\` too, or name a folder on another disk in AIRBENCH_CACHE`;

/**
 * The folder that `make` fills, made once for the same `ingredients`. The folder appears when it is complete, so that
 * neither a failure nor another run at the same time leaves an incomplete folder.
 */
export const cached = async (
  name: string,
  ingredients: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> => {
  const folder = folderOf(name, ingredients);
  if (existsSync(folder)) {
    // Records the use. A read-only cache fails here, but nothing is removed from it either.
    await utimes(folder, new Date(), new Date()).catch(() => undefined);
    return folder;
  }
  const unfinished = `${folder}.${randomUUID()}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await removeUnused(KEPT_DAYS, (entry) => entry.startsWith(`${name}-`));
    await make(unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    // Children of a killed program may still write.
    await rm(unfinished, { recursive: true, force: true, maxRetries: 10 });
    if (!existsSync(folder)) throw isDiskFull(error) ? new Missing(noRoom(cacheFolder())) : error;
  }
  return folder;
};

/** Whether an entry is a folder of the cache, finished or not, with a name by {@link folderOf}. */
const isOurs = (entry: string): boolean => /^[a-z-]+-[0-9a-f]{12}(?:\.|$)/.test(entry);

/** Removes folders of the cache without a use in the last `days` days, and resolves with their number. */
export const removeUnused = async (
  days: number,
  isCandidate: (entry: string) => boolean = isOurs,
): Promise<number> => {
  let removed = 0;
  const cache = cacheFolder();
  for (const entry of await readdir(cache).catch(() => [])) {
    if (!isCandidate(entry)) continue;
    const folder = join(cache, entry);
    // Another run may have finished or removed the folder in the meantime.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs < days * DAY_MS) continue;
    await rm(folder, { recursive: true, force: true });
    removed++;
  }
  return removed;
};

/** The size of the cache on the disk, bytes; a file with several names counts once. */
export const cacheSize = async (): Promise<number> => {
  const sizes = new Map<string, number>();
  for (const entry of await readdir(cacheFolder(), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )) {
    const { dev, ino, blocks } = await lstat(join(entry.parentPath, entry.name)).catch(() => NOTHING);
    sizes.set(`${dev} ${ino}`, blocks * BLOCK);
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
};

/** The unit of `blocks` on every file system, bytes. */
const BLOCK = 512;

/** The size of a file that another run has removed in the meantime. */
const NOTHING = { dev: 0, ino: 0, blocks: 0 };
