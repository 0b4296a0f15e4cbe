import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cached } from './cache.js';
import { LOADER, libraryPath, packaged, type Packages } from './packages.js';
import { execute, Missing, type Execution } from './program.js';

const PROGRAMS = [
  'bin/busybox',
  'bin/hciconfig',
  'bin/kmod',
  'usr/bin/bluetoothctl',
  'usr/bin/btattach',
  'usr/bin/btmgmt',
  'usr/bin/btmon',
  'usr/bin/dbus-daemon',
  'usr/bin/gatttool',
  'usr/bin/hci-tester',
  'usr/bin/hcitool',
  'usr/libexec/bluetooth/bluetoothd',
];

/** Those that Bluetooth's cryptography asks the kernel for by name are in no module's list of dependencies. */
const MODULES = [
  'bluetooth',
  'hci_uart',
  'uhid',
  'virtio_pci',
  'virtio_net',
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

/** What the guest's root file system holds before anything is started: see `guest/init`. */
const GUEST_FILES = 'ci/kernel/guest';

/**
 * Writes the guest's initramfs: archives one behind the other, which the kernel unpacks in turn. The first, the system,
 * is cached; our own programs and the guest's scripts are as they are now.
 */
export const writeInitramfs = async (
  packages: Packages,
  runtime: string,
  file: string,
  execution: Execution,
): Promise<void> => {
  const parts = resolve(`${file}.parts`);
  await rm(parts, { recursive: true, force: true });
  const ours = join(parts, 'tree');
  await collectPrograms(ours);
  const archives = [await systemArchive(packages, execution)];
  for (const [name, tree] of Object.entries({ runtime, ours })) {
    const file = join(parts, `${name}.cpio`);
    await archive(packages, tree, file, execution);
    archives.push(file);
  }
  for (const [index, archive] of archives.entries()) {
    await pipeline(createReadStream(archive), createWriteStream(file, { flags: index === 0 ? 'w' : 'a' }));
  }
  await rm(parts, { recursive: true });
};

const systemArchive = async (packages: Packages, execution: Execution): Promise<string> => {
  const { root, kernel } = packages;
  const ingredients = [root, kernel, process.execPath, process.version, ...PROGRAMS, ...MODULES];
  const folder = await cached('system', ingredients, async (folder) => {
    const tree = join(folder, 'tree');
    await mkdir(tree);
    await copyPrograms(packages, tree, execution);
    await copyModules(packages, tree, execution);
    await archive(packages, tree, join(folder, 'system.cpio'), execution);
    await rm(tree, { recursive: true });
  });
  return join(folder, 'system.cpio');
};

const collectPrograms = async (tree: string): Promise<void> => {
  await cp(GUEST_FILES, tree, { recursive: true });
  await chmod(join(tree, 'init'), 0o755);
  for (const folder of ['dist/src', 'dist/simulators']) {
    await cp(folder, join(tree, 'airbench', folder), { recursive: true });
  }
  await cp('package.json', join(tree, 'airbench/package.json'));
};

/** The programs, node, and the libraries that the loader finds for them, where they are in the packages. */
const copyPrograms = async (packages: Packages, tree: string, execution: Execution): Promise<void> => {
  const { root } = packages;
  for (const program of PROGRAMS) await place(join(root, program), join(tree, program));
  await place(process.execPath, join(tree, 'usr/bin/node'));
  await place(join(root, LOADER), join(tree, LOADER));
  for (const program of [...PROGRAMS.slice(1).map((path) => join(root, path)), process.execPath]) {
    const list = await execute(
      join(root, LOADER),
      ['--library-path', libraryPath(root), '--list', program],
      execution,
    );
    const absent = /(\S+) => not found/.exec(list)?.[1];
    if (absent !== undefined) throw new Missing(`${program} needs ${absent}, which Debian's packages lack`);
    for (const [, path = ''] of list.matchAll(/=> (\S+) \(/g)) {
      if (path.startsWith(root)) await place(path, join(tree, path.slice(root.length)));
    }
  }
};

/** The modules, those they depend on, and the lists by which `modprobe` finds them. */
const copyModules = async (packages: Packages, tree: string, execution: Execution): Promise<void> => {
  const folder = `lib/modules/${packages.kernel}`;
  const from = join(packages.root, folder);
  const { program, args } = packaged(packages, 'bin/kmod', 'depmod');
  await execute(program, [...args, '--basedir', packages.root, packages.kernel], execution);
  const needs = new Map(
    readFileSync(join(from, 'modules.dep'), 'utf8')
      .split('\n')
      .map((line) => line.split(/:? /))
      .map(([path = '', ...others]) => [path.replace(/:$/, ''), others]),
  );
  for (const module of MODULES) {
    const path = [...needs.keys()].find((path) => path.endsWith(`/${module}.ko`));
    // Some are built into the kernel.
    if (path === undefined) continue;
    for (const needed of [path, ...(needs.get(path) ?? [])]) {
      await place(join(from, needed), join(tree, folder, needed));
    }
  }
  for (const list of await readdir(from)) {
    if (list.startsWith('modules.')) await place(join(from, list), join(tree, folder, list));
  }
};

const place = async (from: string, to: string): Promise<void> => {
  if (existsSync(to)) return;
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
};

/** Packs a folder's content as the kernel wants it, everything owned by root. */
const archive = async (
  { root }: Packages,
  tree: string,
  file: string,
  execution: Execution,
): Promise<void> => {
  const busybox = join(root, 'bin/busybox');
  const pack = `${busybox} find . | ${busybox} cpio -o -H newc -R 0:0 -F ${file}`;
  await execute(busybox, ['sh', '-c', pack], { ...execution, cwd: tree });
};
