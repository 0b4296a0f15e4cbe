/** `npm run guest`: makes the npm package `airbench-guest` from Debian's packages. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ARCHIVE, GUEST_PACKAGE } from '../../simulators/lab/linux/find-image.js';
import { UNPACKER, writeImage } from '../../simulators/lab/linux/image.js';
import { fetchPackages, packaged, unpackedPackages } from '../../simulators/lab/linux/packages.js';
import { execute } from '../../simulators/lab/linux/program.js';
import { version } from '../../src/system/package.js';
import { filesOf, readme, usedPackages, writeLicenses } from './sources.js';

const OUTPUT = 'dist/guest';
const FOLDER = join(OUTPUT, GUEST_PACKAGE);

/** Milliseconds; compression usually takes a minute. */
const COMPRESSION_LIMIT = 1_800_000;

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const execution = { signal: stop.signal };

await rm(OUTPUT, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const packages = await fetchPackages(execution);
const content = join(OUTPUT, 'content');
await writeImage(packages, content, execution);

const busybox = join(packages.root, 'bin/busybox');
await copyFile(busybox, join(FOLDER, UNPACKER));
const archive = resolve(FOLDER, 'guest.tar');
await execute(busybox, ['tar', '-cf', archive, '-C', content, '.'], execution);
const xz = packaged(packages, 'usr/bin/xz');
await execute(xz.program, [...xz.args, '-9', archive], { ...execution, limit: COMPRESSION_LIMIT });

const files = await filesOf(packages, content, execution);
const used = await usedPackages(packages, unpackedPackages(packages.root), files);
await writeLicenses(packages, used, FOLDER);
await writeFile(join(FOLDER, 'README.md'), readme(used));
const sha256 = createHash('sha256')
  .update(await readFile(join(FOLDER, ARCHIVE)))
  .digest('hex');
const manifest = {
  name: GUEST_PACKAGE,
  version,
  description: 'A Linux guest with BlueZ for airbench: kernel, modules, BlueZ, D-Bus and QEMU of Debian',
  license: 'SEE LICENSE IN README.md',
  os: ['linux'],
  cpu: ['x64'],
  sha256,
};
await writeFile(join(FOLDER, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
await rm(content, { recursive: true });
await execute('npm', ['pack', '--pack-destination', resolve(OUTPUT)], { ...execution, cwd: FOLDER });
const file = join(OUTPUT, `${GUEST_PACKAGE}-${version}.tgz`);
process.stdout.write(`${file}: ${((await stat(file)).size / 1e6).toFixed(1)} MB\n`);
