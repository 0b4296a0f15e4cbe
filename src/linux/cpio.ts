/** A file of an archive, of root's. */
export interface ArchivedFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

const REGULAR = 0o100000;
const TRAILER = 'TRAILER!!!';

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);

const entry = (path: string, content: Buffer, inode: number, mode: number): Buffer => {
  const name = Buffer.from(`${path}\0`);
  // Inode, mode, user, group, links, time, size, four of devices, length of the name, checksum.
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
  const header = ['070701', ...fields.map((field) => field.toString(16).padStart(8, '0'))].join('');
  return Buffer.concat([padded(Buffer.concat([Buffer.from(header), name])), padded(content)]);
};

/** An archive as the kernel reads it: cpio in its form `newc`. */
export const cpio = (files: readonly ArchivedFile[]): Buffer =>
  Buffer.concat([
    ...files.map(({ path, content, mode }, index) =>
      entry(path, Buffer.from(content), index + 1, REGULAR | mode),
    ),
    entry(TRAILER, Buffer.alloc(0), 0, 0),
  ]);
