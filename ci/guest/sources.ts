import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Packages, UnpackedPackage } from '../../simulators/lab/linux/packages.js';
import { SYSTEM } from '../../simulators/lab/linux/initramfs.js';
import { execute, type Execution } from '../../simulators/lab/linux/program.js';

interface UsedPackage extends UnpackedPackage {
  /** The licenses in the package's copyright file. */
  readonly licenses: readonly string[];
}

/** A path without `usr/`, since `usr/lib` and `lib` are the same folder. */
const merged = (path: string): string => path.replace(/^usr\//, '');

export const filesOf = async (
  { root, kernel }: Packages,
  image: string,
  execution: Execution,
): Promise<readonly string[]> => {
  const list = ['-c', 'exec "$0" cpio -t <"$1"', join(root, 'bin/busybox'), join(image, SYSTEM)];
  const archived = (await execute('sh', list, execution)).split('\n');
  const entries = await readdir(join(image, 'qemu'), { recursive: true });
  return [...archived.map((path) => path.replace('./', '')), ...entries, `boot/vmlinuz-${kernel}`];
};

/** The packages with at least one of the files. */
export const usedPackages = async (
  { root }: Packages,
  unpacked: readonly UnpackedPackage[],
  files: readonly string[],
): Promise<readonly UsedPackage[]> => {
  const paths = new Set(files.map(merged));
  const used = unpacked.filter(({ files }) => files.some((file) => paths.has(merged(file))));
  return Promise.all(
    used.map(async (unpackedPackage) => {
      const text = await readFile(copyrightOf(root, unpackedPackage), 'utf8');
      const names = [...text.matchAll(/^License: *(\S.*)$/gm)].map(([, name = '']) => name);
      return { ...unpackedPackage, licenses: [...new Set(names)].sort() };
    }),
  );
};

const copyrightOf = (root: string, { name }: UnpackedPackage): string =>
  join(root, 'usr/share/doc', name, 'copyright');

/** The folder of every Debian with the licenses that copyright files mention. */
const COMMON_LICENSES = '/usr/share/common-licenses';

export const writeLicenses = async (
  { root }: Packages,
  used: readonly UsedPackage[],
  folder: string,
): Promise<void> => {
  const licenses = join(folder, 'licenses');
  await mkdir(licenses);
  for (const each of used) await cp(copyrightOf(root, each), join(licenses, each.name));
  await cp(COMMON_LICENSES, join(licenses, 'common'), { recursive: true, dereference: true });
};

const row = ({ name, version, source, sourceVersion, builtUsing, licenses, sha256 }: UsedPackage): string => {
  const sources = [`${source} ${sourceVersion}`, ...(builtUsing === '' ? [] : [builtUsing])].join(', ');
  const names = licenses.length === 0 ? 'see its file' : licenses.join('; ');
  return `| [${name}](licenses/${name}) | ${version} | ${sources} | ${names} | ${sha256} |`;
};

/** The README of the package, with a table of its parts. */
export const readme = (used: readonly UsedPackage[]): string =>
  [
    '# A Linux guest for airbench',
    '',
    '`airbench linux` runs programs in this guest: a kernel with modules, BlueZ and D-Bus, and a QEMU with its libraries, for',
    'Linux on x64. All files come from Debian, unchanged: `guest.tar.xz` has parts of the packages below; `busybox` unpacks it.',
    '',
    '## Sources',
    '',
    'The source of each package in its version is at `https://snapshot.debian.org/package/SOURCE/VERSION/`, and of current',
    'versions in the archive of Debian (`apt-get source SOURCE=VERSION`). SHA-256 is that of the `.deb` file. The copyright',
    'file of each package is in `licenses`, the licences that it refers to in `licenses/common`.',
    '',
    '| package | version | source | licences | SHA-256 |',
    '| ------- | ------- | ------ | -------- | ------- |',
    ...used.map(row),
    '',
  ].join('\n');
