/** A small text file that several processes change, and that stays whole if one is killed. */
import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../system/make-folder.js';
import { codeOf, isAlive } from '../../system/system-error.js';
import type { TimeSource } from '../../async/time.js';

/** The age of a lock that was left behind, ms: a change takes milliseconds. */
const STALE_MS = 5_000;
/** How long other processes may hold the lock before we give up, ms. */
const LOCK_LIMIT_MS = 10_000;
const RETRY_MS = 20;

const lockOf = (path: string): string => `${path}.lock`;

/** The path of the new file that the holder `PID HOST ID` of a lock writes. */
const unfinished = (path: string, holder: string): string => `${path}.${holder.split(' ')[2] ?? ''}.tmp`;

/** Resolves to `missing` if `work` rejects with `code`. */
const unless = <A, B>(code: string, work: Promise<A>, missing: B): Promise<A | B> =>
  work.catch((error: unknown) => {
    if (codeOf(error) === code) return missing;
    throw error;
  });

/** Moves a file. False: the file does not exist. */
const moved = (from: string, to: string): Promise<boolean> =>
  unless(
    'ENOENT',
    rename(from, to).then(() => true),
    false,
  );

/** The text of a file; undefined if it does not exist. */
export const readText = (path: string): Promise<string | undefined> =>
  unless('ENOENT', readFile(path, 'utf8'), undefined);

/** The lock was lost because its holder had stalled: the text that it read may be outdated. */
const LOST = new Error('the lock was lost');

/** Replaces the file with `text`, readable by its owner only, if `holder` still has the lock. */
const replaceText = async (path: string, holder: string, text: string): Promise<void> => {
  const fresh = unfinished(path, holder);
  try {
    const file = await open(fresh, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    const ours = (await readText(lockOf(path))) === holder;
    if (!ours || !(await moved(fresh, path))) throw LOST;
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
};

/**
 * Whether the holder of a lock `PID HOST ID` is gone. The age of the lock decides if the process is on another host, or had
 * the same number as ours, as in a container that was started again.
 */
const isStale = (holder: string, ageMs: number): boolean => {
  const [pid = '', host] = holder.split(' ');
  const visible = host === hostname() && /^\d+$/.test(pid) && Number(pid) !== process.pid;
  return visible ? !isAlive(Number(pid)) : ageMs > STALE_MS;
};

/** Removes files of processes that were killed while they broke a lock. */
const sweep = async (lock: string, time: TimeSource): Promise<void> => {
  const folder = dirname(lock);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(lock)}.`)) continue;
    const left = await unless('ENOENT', stat(join(folder, name)), undefined);
    if (left !== undefined && time.date().getTime() - left.mtimeMs > STALE_MS)
      await rm(join(folder, name), { force: true });
  }
};

/** Removes a stale lock, unless another process has replaced it by a new lock. */
const breakLock = async (lock: string, stale: string): Promise<void> => {
  const aside = `${lock}.${randomUUID()}`;
  if (!(await moved(lock, aside))) return;
  const taken = await readText(aside);
  if (taken !== stale) await unless('EEXIST', link(aside, lock), undefined);
  await rm(aside);
};

/** Creates the lock, whole or not at all. */
const create = async (lock: string, holder: string): Promise<true> => {
  const file = await open(lock, 'wx', 0o600);
  try {
    await file.writeFile(holder);
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return true;
};

const take = async (path: string, holder: string, time: TimeSource): Promise<void> => {
  const lock = lockOf(path);
  const until = time.now() + LOCK_LIMIT_MS;
  let seen = { holder: '', since: 0 };
  for (;;) {
    if (await unless('EEXIST', create(lock, holder), false)) return;
    const other = await readText(lock);
    const since = await unless('ENOENT', stat(lock), undefined);
    if (other === undefined || since === undefined) continue;
    if (seen.holder !== other) seen = { holder: other, since: time.now() };
    // A lock from the future, since the time of day was set back, is as old as this process has seen it.
    if (isStale(other, Math.max(time.date().getTime() - since.mtimeMs, time.now() - seen.since))) {
      // The new file of the holder goes first: its path is in the lock, which must stay if we are killed in between.
      await rm(unfinished(path, other), { force: true });
      await breakLock(lock, other);
      await sweep(lock, time);
    } else if (time.now() > until) {
      throw new Error(`it is locked by process ${other}: if that process is not airbench, delete ${lock}`);
    } else {
      await new Promise<void>((resolve) => {
        time.after(RETRY_MS, resolve);
      });
    }
  }
};

/**
 * Runs `work`, which reads and may `replace` the file, while no other process does; makes its folder. It runs again if
 * the lock was lost before the file was replaced. Rejects with the error of a file or of `work`.
 */
export const withLock = async <A>(
  path: string,
  time: TimeSource,
  work: (replace: (text: string) => Promise<void>) => Promise<A>,
): Promise<A> => {
  await makeFolder(dirname(path));
  const lock = lockOf(path);
  for (;;) {
    const holder = `${process.pid} ${hostname()} ${randomUUID()}`;
    await take(path, holder, time);
    try {
      return await work((text) => replaceText(path, holder, text));
    } catch (error) {
      if (error !== LOST) throw error;
    } finally {
      if ((await readText(lock)) === holder) await rm(lock, { force: true });
    }
  }
};
