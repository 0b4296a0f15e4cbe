/** A folder that lasts as long as its process. */
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { isAlive, systemReason } from '../../system/system-error.js';

/** The host is named too: a folder may be shared by containers, each with processes of its own. */
const prefix = (): string => `airbench-rig-${hostname()}-`;

/** The process whose folder it is; undefined if the folder is not ours. */
const ownerOf = (name: string): number | undefined => {
  const pid = name.startsWith(prefix()) ? /^(\d+)-\w{6}$/.exec(name.slice(prefix().length))?.[1] : undefined;
  return pid === undefined ? undefined : Number(pid);
};

/** Removes the folders of processes of this host that were killed before they could. */
const removeAbandoned = async (parent: string): Promise<void> => {
  const abandoned = (await readdir(parent)).filter((name) => {
    const owner = ownerOf(name);
    return owner !== undefined && !isAlive(owner);
  });
  // Another user's folder is his to remove.
  await Promise.allSettled(abandoned.map((name) => rm(join(parent, name), { recursive: true, force: true })));
};

/** Makes a folder; its path. It goes when the process exits, however suddenly. Left is a message. */
export const temporaryFolder = (parent = tmpdir()): TE.TaskEither<string, string> =>
  TE.tryCatch(
    async () => {
      await removeAbandoned(parent);
      const folder = await mkdtemp(join(parent, `${prefix()}${process.pid}-`));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      return folder;
    },
    (thrown) =>
      `no temporary folder can be made in ${parent} (TMPDIR names another): ${systemReason(thrown)}`,
  );
