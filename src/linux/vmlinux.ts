import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.js';
import { packaged, type Packages } from './packages.js';
import { execute, type Execution } from './program.js';

/** Offsets in the header of a bzImage: the kernel's documentation, x86 boot protocol 2.08. */
const SETUP_SECTORS = 0x1f1;
const PAYLOAD_OFFSET = 0x248;
const PAYLOAD_LENGTH = 0x24c;
const SECTOR = 512;

export const VMLINUX = 'vmlinux';

/** The kernel as an ELF file: QEMU starts it directly, where unpacking it under emulation would take as long again. */
export const extractKernel = async (packages: Packages, execution: Execution): Promise<string> => {
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
