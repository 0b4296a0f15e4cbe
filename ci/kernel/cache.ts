import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `AIRBENCH_CACHE`, or `airbench` where this user's caches are. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env['AIRBENCH_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'airbench');

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
  const folder = join(cacheFolder(), `${name}-${key}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await make(unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
};
