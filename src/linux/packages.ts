import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.js';
import { execute, Missing, type Execution } from './program.js';

/** The cloud variant of the kernel has no Bluetooth. xz unpacks the kernel's image. */
const PACKAGES = [
  'linux-image-amd64',
  'qemu-system-x86',
  'busybox-static',
  'bluez',
  'bluez-test-tools',
  'dbus-daemon',
  'kmod',
  'libstdc++6',
  'xz-utils',
];

/** Of no use here, and a third of all files. */
const NOT_NEEDED = ['doc', 'iso-codes', 'locale', 'man', 'perl', 'xml'].map((name) => `usr/share/${name}`);

/** What programs of Debian's packages find under a folder of their own. */
export interface Packages {
  readonly root: string;
  /** Such as 6.1.0-56-amd64. */
  readonly kernel: string;
}

/** Debian's packages with all they depend on, downloaded and unpacked; nothing is installed, and any user may. */
export const fetchPackages = async (execution: Execution): Promise<Packages> => {
  if (process.arch !== 'x64') throw new Missing(`the packages are of amd64, this machine is ${process.arch}`);
  const root = await cached('packages', [release(), ...PACKAGES], (folder) => unpack(folder, execution));
  const [kernel] = await readdir(join(root, 'lib/modules'));
  if (kernel === undefined) throw new Error(`there is no kernel in ${root}`);
  return { root, kernel };
};

/** Which Debian this is: another one has other packages. */
const release = (): string => {
  try {
    return /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
};

/** apt believes that nothing is installed, so that it fetches all that a package needs; it writes to `folder` alone. */
const unpack = async (folder: string, execution: Execution): Promise<void> => {
  const apt = join(folder, 'apt');
  const archives = join(apt, 'archives');
  await mkdir(join(apt, 'lists/partial'), { recursive: true });
  await mkdir(join(archives, 'partial'), { recursive: true });
  await writeFile(join(apt, 'status'), '');
  const options = [
    `Dir::State=${apt}`,
    `Dir::State::status=${join(apt, 'status')}`,
    `Dir::Cache=${apt}`,
    `Dir::Cache::archives=${archives}`,
    'APT::Sandbox::User=root',
    'APT::Install-Recommends=false',
  ].flatMap((option) => ['-o', option]);
  const get = (...args: readonly string[]) => aptGet([...options, '--quiet', ...args], execution);
  await get('update');
  await get('--yes', '--download-only', 'install', ...PACKAGES);
  for (const archive of await readdir(archives)) {
    if (!archive.endsWith('.deb')) continue;
    await execute('dpkg-deb', ['--extract', join(archives, archive), folder], execution);
  }
  for (const path of ['apt', ...NOT_NEEDED]) await rm(join(folder, path), { recursive: true, force: true });
};

const aptGet = async (args: readonly string[], execution: Execution): Promise<void> => {
  try {
    await execute('apt-get', args, execution);
  } catch (error) {
    if (execution.signal.aborted) throw error;
    if (error instanceof Missing) {
      throw new Missing(
        'there is no apt-get: the kernel and QEMU come from Debian packages, so run this on Debian 12',
      );
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new Missing(`the Debian packages cannot be fetched (${why}): they are those of Debian 12`);
  }
};

/** A program of the packages, run on this machine with the packages' own libraries; `name` is what it takes itself for. */
export const packaged = (
  { root }: Packages,
  path: string,
  name = path,
): { readonly program: string; readonly args: readonly string[] } => ({
  program: join(root, LOADER),
  args: ['--library-path', libraryPath(root), '--argv0', name, join(root, path)],
});

export const LOADER = 'lib64/ld-linux-x86-64.so.2';

export const libraryPath = (root: string): string =>
  ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu'].map((folder) => join(root, folder)).join(':');
