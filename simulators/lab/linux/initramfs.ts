import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { cached } from './cache.js';
import { LOADER, libraryPath, packaged, type Packages } from './packages.js';
import { execute, Missing, type Execution } from './program.js';

/** A static program. */
export const BUSYBOX = 'bin/busybox';

/** The programs of every guest: a shell with its tools, and the loader of modules. */
const PROGRAMS = [BUSYBOX, 'bin/kmod'];

/** Bluetooth requests its cryptography by name, so that no module lists it as a dependency. */
const MODULES = [
  'bluetooth',
  'hci_uart',
  'hci_vhci',
  'uhid',
  'hid-generic',
  'evdev',
  'virtio_pci',
  'virtio_net',
  'virtio_console',
  '9p',
  '9pnet_virtio',
  'overlay',
  'algif_hash',
  'algif_skcipher',
  'ccm',
  'cmac',
  'ctr',
  'drbg',
  'ecb',
  'ecdh_generic',
  'hmac',
  'jitterentropy_rng',
  'sha256_generic',
  'sha512_generic',
];

export const SYSTEM = 'system.cpio';

/** The archive of the kernel's modules, and of programs and other files of the packages at the same paths. */
export const systemArchive = async (
  packages: Packages,
  programs: readonly string[],
  files: readonly string[],
  execution: Execution,
): Promise<string> => {
  const { root, kernel } = packages;
  const all = [...PROGRAMS, ...programs];
  const ingredients = ['with its own lists', root, kernel, ...all, ...files, ...MODULES];
  const folder = await cached('system', ingredients, async (folder) => {
    execution.inform?.('packing the system of the guest');
    const tree = join(folder, 'tree');
    await mkdir(tree);
    await copyPrograms(packages, all, tree, execution);
    for (const file of files) await place(join(root, file), join(tree, file));
    await copyModules(packages, tree, execution);
    await archive(join(root, BUSYBOX), tree, join(folder, SYSTEM), execution);
    await rm(tree, { recursive: true });
  });
  return join(folder, SYSTEM);
};

/** Copies programs, and the libraries that the loader finds for them in the packages. */
export const copyPrograms = async (
  { root }: Packages,
  programs: readonly string[],
  tree: string,
  execution: Execution,
): Promise<void> => {
  for (const program of programs) await place(join(root, program), join(tree, program));
  await place(join(root, LOADER), join(tree, LOADER));
  for (const program of programs.filter((path) => path !== BUSYBOX)) {
    const args = ['--library-path', libraryPath(root), '--list', join(root, program)];
    const list = await execute(join(root, LOADER), args, execution);
    const absent = /(\S+) => not found/.exec(list)?.[1];
    if (absent !== undefined) throw new Missing(`${program} needs ${absent}, which Debian's packages lack`);
    for (const [, path = ''] of list.matchAll(/=> (\S+) \(/g)) {
      if (path.startsWith(root)) await place(path, join(tree, path.slice(root.length)));
    }
  }
};

/** Copies the modules, their dependencies, and the lists for `modprobe`. */
const copyModules = async (packages: Packages, tree: string, execution: Execution): Promise<void> => {
  const folder = `lib/modules/${packages.kernel}`;
  const from = join(packages.root, folder);
  await depmod(packages, packages.root, execution);
  const needs = new Map(
    readFileSync(join(from, 'modules.dep'), 'utf8')
      .split('\n')
      .map((line) => line.split(/:? /))
      .map(([path = '', ...dependencies]) => [path.replace(/:$/, ''), dependencies]),
  );
  for (const module of MODULES) {
    const path = [...needs.keys()].find((path) => path.endsWith(`/${module}.ko`));
    // Some modules are built into the kernel.
    if (path === undefined) continue;
    for (const needed of [path, ...(needs.get(path) ?? [])]) {
      await place(join(from, needed), join(tree, folder, needed));
    }
  }
  for (const list of ['modules.builtin', 'modules.builtin.modinfo', 'modules.order']) {
    await place(join(from, list), join(tree, folder, list));
  }
  await depmod(packages, tree, execution);
};

const depmod = async (packages: Packages, root: string, execution: Execution): Promise<void> => {
  const { program, args } = packaged(packages, 'bin/kmod', 'depmod');
  await execute(program, [...args, '--basedir', root, packages.kernel], execution);
};

/** Copies a file to a path that does not exist. */
export const place = async (from: string, to: string): Promise<void> => {
  if (existsSync(to)) return;
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
};

/** Packs the content of a folder into `file` in the kernel's format, with root as the owner. */
export const archive = async (
  busybox: string,
  tree: string,
  file: string,
  execution: Execution,
): Promise<void> => {
  const pack = '"$0" find . | "$0" cpio -o -H newc -R 0:0 -F "$1"';
  await execute(busybox, ['sh', '-c', pack, busybox, resolve(file)], { ...execution, cwd: tree });
};
