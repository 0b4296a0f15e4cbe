import { chmod, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { archive, systemArchive, writeInitramfs } from '../../src/linux/initramfs.js';
import type { Packages } from '../../src/linux/packages.js';
import type { Execution } from '../../src/linux/program.js';

const PROGRAMS = [
  'bin/hciconfig',
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

/** The guest's root file system before anything is started: see `guest/init`. */
const GUEST_FILES = 'ci/kernel/guest';

/** Writes the guest's initramfs. The system is cached; our own programs and the guest's scripts are as they are now. */
export const writeKernelInitramfs = async (
  packages: Packages,
  runtime: string,
  file: string,
  execution: Execution,
): Promise<void> => {
  const parts = `${file}.parts`;
  await rm(parts, { recursive: true, force: true });
  const ours = join(parts, 'tree');
  await collectPrograms(ours);
  const archives = [
    await systemArchive(packages, { packaged: PROGRAMS, own: [process.execPath] }, [], execution),
  ];
  for (const [name, tree] of Object.entries({ runtime, ours })) {
    const file = join(parts, `${name}.cpio`);
    await archive(packages, tree, file, execution);
    archives.push(file);
  }
  await writeInitramfs(archives, file);
  await rm(parts, { recursive: true });
};

const collectPrograms = async (tree: string): Promise<void> => {
  await cp(GUEST_FILES, tree, { recursive: true });
  await cp('src/linux/guest/bus.conf', join(tree, 'etc/bus.conf'));
  await chmod(join(tree, 'init'), 0o755);
  for (const folder of ['dist/node_modules', 'dist/src', 'dist/simulators']) {
    await cp(folder, join(tree, 'airbench', folder), { recursive: true });
  }
  await cp('package.json', join(tree, 'airbench/package.json'));
};
