/** The files that boot a guest: of Debian's packages, or of the npm package `airbench-guest`. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyPrograms, place, SYSTEM, systemArchive } from './initramfs.js';
import type { Packages } from './packages.js';
import type { Execution } from './program.js';
import { ownQemu, packagedQemu, QEMU_FILES, QEMU_PROGRAMS, type Qemu } from './qemu.js';
import { extractKernel, VMLINUX } from './vmlinux.js';

export interface Image {
  readonly kernel: string;
  /** The archive of its programs and its modules. */
  readonly system: string;
  /** That of this machine, or its own. */
  readonly qemu: Qemu;
}

const bluez = ['bluetoothctl', 'btattach', 'btmgmt', 'btmon', 'gatttool', 'hcitool', 'l2ping', 'l2test'];
const bus = ['dbus-daemon', 'dbus-monitor', 'dbus-send'];

/** The guest's own programs, at the end of the command's `PATH` all but the last. */
const PROGRAMS = [
  'bin/dd',
  'bin/hciconfig',
  ...[...bluez, ...bus, 'script'].map((name) => `usr/bin/${name}`),
  'usr/libexec/bluetooth/bluetoothd',
];

/** Debian's: among other things it has adapters powered. */
const CONFIGURATION = ['etc/bluetooth/main.conf', 'etc/bluetooth/input.conf'];

export const imageOfPackages = async (packages: Packages, execution: Execution): Promise<Image> => {
  const [system, kernel] = await Promise.all([
    systemArchive(packages, { packaged: PROGRAMS, own: [] }, CONFIGURATION, execution),
    extractKernel(packages, execution),
  ]);
  return { kernel, system, qemu: await qemuFor(packages.root, execution) };
};

const QEMU = 'qemu';

export const imageInFolder = async (folder: string, execution: Execution): Promise<Image> => ({
  kernel: join(folder, VMLINUX),
  system: join(folder, SYSTEM),
  qemu: await qemuFor(join(folder, QEMU), execution),
});

const qemuFor = async (root: string, execution: Execution): Promise<Qemu> =>
  (await ownQemu(root, execution)) ?? packagedQemu(root);

/** Writes an image to a folder, of QEMU only what the guest needs. */
export const writeImage = async (packages: Packages, folder: string, execution: Execution): Promise<void> => {
  const { kernel, system } = await imageOfPackages(packages, execution);
  await mkdir(folder, { recursive: true });
  await copyFile(kernel, join(folder, VMLINUX));
  await copyFile(system, join(folder, SYSTEM));
  const qemu = join(folder, QEMU);
  await copyPrograms(packages, QEMU_PROGRAMS, [], qemu, execution);
  for (const path of QEMU_FILES) await place(join(packages.root, path), join(qemu, path));
};
