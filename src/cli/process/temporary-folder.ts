/** A folder that lasts as long as its process. */
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { isAlive, systemReason } from '../../system/system-error.js';

/** Contains the host too: containers with processes of the same ids may share a folder. */
const prefix = (): string => `airbench-rig-${hostname()}-`;

/** The id of the process that made a folder; undefined for a folder of another program or host. */
const ownerOf = (name: string): number | undefined => {
  const pid = name.startsWith(prefix()) ? /^(\d+)-\w{6}$/.exec(name.slice(prefix().length))?.[1] : undefined;
  return pid === undefined ? undefined : Number(pid);
};

/** Removes the folders of processes of this host that were killed. */
const removeAbandoned = async (parent: string): Promise<void> => {
  const abandoned = (await readdir(parent)).filter((name) => {
    const owner = ownerOf(name);
    return owner !== undefined && !isAlive(owner);
  });
  // A folder of another user cannot be removed.
  await Promise.allSettled(abandoned.map((name) => rm(join(parent, name), { recursive: true, force: true })));
};

/** Makes a folder that is removed at the exit of the process, even a sudden one. Right: its path. Left: a message. */
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
