/** The files that boot a guest, from Debian's packages or from the npm package `airbench-guest`. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.js';
import { BUSYBOX, copyPrograms, place, SYSTEM, systemArchive } from './initramfs.js';
import { packaged, type Packages } from './packages.js';
import { execute, type Execution } from './program.js';
import { ownQemu, packagedQemu, QEMU_FILES, QEMU_PROGRAMS, type Qemu } from './qemu.js';

export interface Image {
  readonly kernel: string;
  /** The archive of the guest's programs and modules. */
  readonly system: string;
  /** The QEMU of this machine, or of the image. */
  readonly qemu: Qemu;
  /** The static busybox that packs archives. */
  readonly busybox: string;
}

const bluez = [
  'bluetoothctl',
  'btattach',
  'btmgmt',
  'btmon',
  'gatttool',
  'hci-tester',
  'hcitool',
  'l2ping',
  'l2test',
];
const bus = ['dbus-daemon', 'dbus-monitor', 'dbus-send'];

/** The guest's own programs, all but the last in the final folder of the command's `PATH`. */
const PROGRAMS = [
  'bin/dd',
  'bin/hciconfig',
  ...[...bluez, ...bus, 'script'].map((name) => `usr/bin/${name}`),
  'usr/libexec/bluetooth/bluetoothd',
];

/** Debian's configuration, which powers adapters on, among other things, and its policy of the bus. */
const CONFIGURATION = [
  'etc/bluetooth/main.conf',
  'etc/bluetooth/input.conf',
  'usr/share/dbus-1/system.conf',
  'etc/dbus-1/system.d/bluetooth.conf',
];

/** Offsets in the header of a bzImage: the kernel's documentation, x86 boot protocol 2.08. */
const SETUP_SECTORS = 0x1f1;
const PAYLOAD_OFFSET = 0x248;
const PAYLOAD_LENGTH = 0x24c;
const SECTOR = 512;

const VMLINUX = 'vmlinux';

/** The kernel as an ELF file, which QEMU starts directly: unpacking under emulation would double the time. */
const extractKernel = async (packages: Packages, execution: Execution): Promise<string> => {
  const folder = await cached('vmlinux', [packages.root, packages.kernel], async (folder) => {
    execution.inform?.('unpacking the kernel');
    const image = await readFile(join(packages.root, `boot/vmlinuz-${packages.kernel}`));
    const from = (image.readUInt8(SETUP_SECTORS) + 1) * SECTOR + image.readUInt32LE(PAYLOAD_OFFSET);
    const payload = join(folder, `${VMLINUX}.xz`);
    await writeFile(payload, image.subarray(from, from + image.readUInt32LE(PAYLOAD_LENGTH)));
    // The payload is an xz stream and, behind it, four bytes of its size.
    const { program, args } = packaged(packages, 'usr/bin/xz');
    await execute(program, [...args, '--decompress', '--single-stream', payload], execution);
  });
  return join(folder, VMLINUX);
};

export const imageOfPackages = async (packages: Packages, execution: Execution): Promise<Image> => {
  const [system, kernel] = await Promise.all([
    systemArchive(packages, PROGRAMS, CONFIGURATION, execution),
    extractKernel(packages, execution),
  ]);
  const busybox = join(packages.root, BUSYBOX);
  return { kernel, system, busybox, qemu: await qemuFor(packages.root, execution) };
};

const QEMU = 'qemu';
export const UNPACKER = 'busybox';

export const imageInFolder = async (folder: string, execution: Execution): Promise<Image> => ({
  kernel: join(folder, VMLINUX),
  system: join(folder, SYSTEM),
  busybox: join(folder, UNPACKER),
  qemu: await qemuFor(join(folder, QEMU), execution),
});

const qemuFor = async (root: string, execution: Execution): Promise<Qemu> =>
  (await ownQemu(root, execution)) ?? packagedQemu(root);

/** Writes an image to a folder, with the parts of QEMU that the guest needs. */
export const writeImage = async (packages: Packages, folder: string, execution: Execution): Promise<void> => {
  const { kernel, system } = await imageOfPackages(packages, execution);
  await mkdir(folder, { recursive: true });
  await copyFile(kernel, join(folder, VMLINUX));
  await copyFile(system, join(folder, SYSTEM));
  const qemu = join(folder, QEMU);
  await copyPrograms(packages, QEMU_PROGRAMS, qemu, execution);
  for (const path of QEMU_FILES) await place(join(packages.root, path), join(qemu, path));
};
