import { existsSync, statSync } from 'node:fs';
import { chmod, copyFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { cached } from './cache.js';
import { imageInFolder, imageOfPackages, UNPACKER, type Image } from './image.js';
import { fetchPackages, hasApt } from './packages.js';
import { execute, Missing, type Execution } from './program.js';

/** The npm package with a guest, and its files. */
export const GUEST_PACKAGE = 'airbench-guest';
export const ARCHIVE = 'guest.tar.xz';

const HELP = `install the npm package ${GUEST_PACKAGE}, name its file or its folder by --guest, or run this where apt fetches Debian's packages`;

/**
 * The guest at `path`, or in the npm package in the current folder or beside this package, or made of Debian's packages.
 * @throws Missing with a message if there is no guest.
 */
export const findImage = async (path: string | undefined, execution: Execution): Promise<Image> => {
  refuseOthers(process.platform, process.arch);
  const packagePath = path ?? installedPackage();
  if (packagePath !== undefined) return unpackedImage(resolve(packagePath), execution);
  if (!hasApt()) throw new Missing(`there is no guest: ${HELP}`);
  return imageOfPackages(await fetchPackages(execution), execution);
};

/** @throws Missing on a machine without a guest for its kind. */
export const refuseOthers = (platform: NodeJS.Platform, arch: NodeJS.Architecture): void => {
  if (platform !== 'linux') {
    throw new Missing(
      'airbench linux needs Linux; here the radio works (airbench air, airbench rig), with Bumble and noble on it by --hci-port',
    );
  }
  if (arch !== 'x64') {
    throw new Missing(
      `the guest has a kernel, a QEMU and a BlueZ for x64 alone, and this is ${arch}; the radio works (airbench air), with Bumble and noble on it by --hci-port`,
    );
  }
};

const installedPackage = (): string | undefined => {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return dirname(createRequire(from).resolve(`${GUEST_PACKAGE}/package.json`));
    } catch {
      // Not there.
    }
  }
  return undefined;
};

/** Unpacks the image of a package, a folder or a file of `npm pack`, into the cache. */
const unpackedImage = async (path: string, execution: Execution): Promise<Image> => {
  if (!existsSync(path)) throw new Missing(`--guest: there is no ${path}`);
  const { size, mtimeMs } = statSync(path);
  const folder = statSync(path).isDirectory()
    ? path
    : await cached('guest-package', [path, String(size), String(mtimeMs)], async (folder) => {
        await execute('tar', ['-xzf', path, '-C', folder, '--strip-components=1'], execution);
      });
  const archive = join(folder, ARCHIVE);
  if (!existsSync(archive))
    throw new Missing(`--guest: ${path} is not ${GUEST_PACKAGE}: it has no ${ARCHIVE}`);
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  // The manifest has a checksum of the archive.
  const image = await cached('guest', [manifest], async (unpacked) => {
    execution.inform?.(`unpacking ${GUEST_PACKAGE}`);
    const busybox = join(unpacked, UNPACKER);
    await copyFile(join(folder, UNPACKER), busybox);
    await chmod(busybox, 0o755);
    await execute(busybox, ['tar', '-xJf', archive, '-C', unpacked], execution);
  });
  return imageInFolder(image, execution);
};
