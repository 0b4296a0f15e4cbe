import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `AIRBENCH_CACHE`, or `airbench` where this user's caches are. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env['AIRBENCH_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'airbench');

/** Milliseconds: what was not used for so long, finished or not, is removed when something else takes its place. */
const KEPT = 30 * 24 * 60 * 60 * 1000;

/**
 * The folder that `make` fills, made once for the same `ingredients`. It appears when it is complete, so that
 * neither a failure nor another run at the same time leaves half of one.
 */
export const cached = async (
  name: string,
  ingredients: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> => {
  const key = createHash('sha256').update(JSON.stringify(ingredients)).digest('hex').slice(0, 12);
  const cache = cacheFolder();
  const folder = join(cache, `${name}-${key}`);
  if (existsSync(folder)) {
    // Used just now; in a cache that can only be read nothing is ever removed either.
    await utimes(folder, new Date(), new Date()).catch(() => undefined);
    return folder;
  }
  const unfinished = `${folder}.${randomUUID()}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await removeUnused(cache, name);
    await make(unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    // A program that was ended may have children that still write.
    await rm(unfinished, { recursive: true, force: true, maxRetries: 10 });
    if (!existsSync(folder)) throw error;
  }
  return folder;
};

const removeUnused = async (cache: string, name: string): Promise<void> => {
  for (const entry of await readdir(cache)) {
    if (!entry.startsWith(`${name}-`)) continue;
    const folder = join(cache, entry);
    // Another run may have finished or removed it in between.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > KEPT) await rm(folder, { recursive: true, force: true });
  }
};
