import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `AIRBENCH_CACHE`, or `airbench` where this user's caches are. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env['AIRBENCH_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'airbench');

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days: what was not used for so long, finished or not, is removed when something else takes its place. */
const KEPT_DAYS = 30;

const folderOf = (name: string, ingredients: readonly string[]): string => {
  const key = createHash('sha256').update(JSON.stringify(ingredients)).digest('hex').slice(0, 12);
  return join(cacheFolder(), `${name}-${key}`);
};

/** Whether the folder of these ingredients is made already. */
export const isCached = (name: string, ingredients: readonly string[]): boolean =>
  existsSync(folderOf(name, ingredients));

/**
 * The folder that `make` fills, made once for the same `ingredients`. It appears when it is complete, so that
 * neither a failure nor another run at the same time leaves half of one.
 */
export const cached = async (
  name: string,
  ingredients: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> => {
  const folder = folderOf(name, ingredients);
  if (existsSync(folder)) {
    // Used just now; in a cache that can only be read nothing is ever removed either.
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
    // A program that was ended may have children that still write.
    await rm(unfinished, { recursive: true, force: true, maxRetries: 10 });
    if (!existsSync(folder)) throw error;
  }
  return folder;
};

/** Whether a name is that of a folder of the cache, finished or not, as {@link folderOf} gives it. */
const isOurs = (entry: string): boolean => /^[a-z-]+-[0-9a-f]{12}(?:\.|$)/.test(entry);

/** Removes folders of the cache that were not used for so many days, and resolves with their number. */
export const removeUnused = async (
  days: number,
  isWanted: (entry: string) => boolean = isOurs,
): Promise<number> => {
  let removed = 0;
  const cache = cacheFolder();
  for (const entry of await readdir(cache).catch(() => [])) {
    if (!isWanted(entry)) continue;
    const folder = join(cache, entry);
    // Another run may have finished or removed it in between.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs < days * DAY_MS) continue;
    await rm(folder, { recursive: true, force: true });
    removed++;
  }
  return removed;
};

/** Bytes on the disk, a file of several names once. */
export const cacheSize = async (): Promise<number> => {
  const seen = new Map<string, number>();
  for (const entry of await readdir(cacheFolder(), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )) {
    const { dev, ino, blocks } = await lstat(join(entry.parentPath, entry.name)).catch(() => NOTHING);
    seen.set(`${dev} ${ino}`, blocks * BLOCK);
  }
  return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
};

/** Bytes; it is the unit of `blocks`, whatever the file system's is. */
const BLOCK = 512;

/** Another run may have removed it in between. */
const NOTHING = { dev: 0, ino: 0, blocks: 0 };
