import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cached, isCached } from './cache.js';
import { execute, findProgram, Missing, type Execution } from './program.js';
import { messageOf } from '../../../src/system/system-error.js';

/** The packages that boot a guest. The cloud variant of the kernel has no Bluetooth. xz unpacks the kernel's image. */
const PACKAGES = [
  'linux-image-amd64',
  'qemu-system-x86',
  'busybox-static',
  'bluez',
  'bluez-test-tools',
  'dbus-daemon',
  'kmod',
  'libstdc++6',
  'bsdutils',
  'coreutils',
  'util-linux',
  'xz-utils',
];

/** The packages of every root of Debian, besides the user's. */
export const DEBIAN_ROOT = [
  ...['base-files', 'bash', 'bsdutils', 'ca-certificates', 'coreutils', 'dash', 'findutils', 'grep', 'gzip'],
  ...['hostname', 'libc-bin', 'libstdc++6', 'netbase', 'procps', 'sed', 'tar', 'util-linux'],
];

/** Translations and manuals, which guests do not need. */
const NOT_NEEDED = ['iso-codes/*', 'locale/*', 'man/*', 'xml/*'];

export interface UnpackedPackage {
  readonly name: string;
  readonly version: string;
  /** The source package, and its version. */
  readonly source: string;
  readonly sourceVersion: string;
  /** The field Built-Using: other sources of parts of the package, such as the source of the signed kernel. */
  readonly builtUsing: string;
  readonly sha256: string;
  /** Paths below the root, without a slash at the beginning. */
  readonly files: readonly string[];
}

const LIST = 'usr/share/doc/packages.json';

export const unpackedPackages = (root: string): readonly UnpackedPackage[] =>
  JSON.parse(readFileSync(join(root, LIST), 'utf8')) as readonly UnpackedPackage[];

/** Debian's packages, unpacked in a separate folder. */
export interface Packages {
  readonly root: string;
  /** Such as 6.1.0-56-amd64. */
  readonly kernel: string;
}

/** The packages that boot a guest, unpacked without installation or privileges. */
export const fetchPackages = async (execution: Execution): Promise<Packages> => {
  const root = await fetchRoot(PACKAGES, execution);
  const [kernel] = await readdir(join(root, 'lib/modules'));
  if (kernel === undefined) throw new Error(`there is no kernel in ${root}`);
  return { root, kernel };
};

/**
 * A folder with these packages of Debian and their dependencies, with compiled Python modules. Its files are links to the
 * files of packages, each downloaded and unpacked once for all folders.
 */
export const fetchRoot = (names: readonly string[], execution: Execution): Promise<string> =>
  cached('packages', [release(), 'linked', ...[...names].sort()], async (folder) => {
    await assemble(names, folder, execution);
    await compilePython(folder, execution);
  });

/** The release of Debian, since each release has other packages. */
const release = (): string => {
  try {
    return /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
};

/** Links to folders in `usr`, as on every Debian, so that the packages fit over and under another root. */
const MERGED = ['bin', 'lib', 'lib64', 'sbin'];

const linkMerged = async (folder: string): Promise<void> => {
  for (const name of MERGED) {
    await mkdir(join(folder, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(folder, name));
  }
};

/** apt with an empty list of installed packages, so that it names all dependencies; it writes to `folder` alone. */
const aptIn = async (folder: string, execution: Execution) => {
  await mkdir(join(folder, 'lists/partial'), { recursive: true });
  await mkdir(join(folder, 'archives/partial'), { recursive: true });
  await writeFile(join(folder, 'status'), '');
  const options = [
    `Dir::State=${folder}`,
    `Dir::State::status=${join(folder, 'status')}`,
    `Dir::Cache=${folder}`,
    `Dir::Cache::archives=${join(folder, 'archives')}`,
    'APT::Sandbox::User=root',
    'APT::Install-Recommends=false',
  ].flatMap((option) => ['-o', option]);
  return (...args: readonly string[]) =>
    aptGet([...options, '--quiet', ...args], { ...execution, cwd: folder });
};

interface Archive {
  /** `NAME_VERSION_ARCHITECTURE.deb`. */
  readonly file: string;
  /** Empty if apt does not print it; together with `file`, it identifies the contents. */
  readonly checksum: string;
  readonly bytes: number;
  /** `NAME=VERSION`, the notation of apt. */
  readonly spec: string;
}

/** Reads the output of `apt-get --print-uris`: `'URI' FILE SIZE CHECKSUM`, without the checksum for archives without MD5 sums. */
export const readArchives = (printed: string): readonly Archive[] =>
  [...printed.matchAll(/^'\S+' (\S+\.deb) (\d+) (\S*)$/gm)].map(([, file = '', bytes, checksum = '']) => {
    const [name = '', version = ''] = file.split('_');
    return { file, checksum, bytes: Number(bytes), spec: `${name}=${decodeURIComponent(version)}` };
  });

/** A package, unpacked once: its files in `root`, its description in `package.json`. */
const unpackedPackage = (
  { file, checksum }: Archive,
  folder: string,
  execution: Execution,
): Promise<string> =>
  cached('package', [file, checksum], async (unpacked) => {
    const root = join(unpacked, 'root');
    await linkMerged(root);
    await writeFile(
      join(unpacked, ABOUT),
      JSON.stringify(await extract(join(folder, file), root, execution)),
    );
  });

const ABOUT = 'package.json';

const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/** The size of the archives in a folder, complete or not, bytes. */
const bytesIn = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => name.includes('.deb'))
    .reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);

const assemble = async (names: readonly string[], folder: string, execution: Execution): Promise<void> => {
  const apt = join(folder, 'apt');
  const get = await aptIn(apt, execution);
  const { inform } = execution;
  inform?.("fetching the lists of Debian's packages");
  await get('update');
  const archives = readArchives(await get('--yes', '--print-uris', 'install', ...names));
  const missing = archives.filter(({ file, checksum }) => !isCached('package', [file, checksum]));
  if (missing.length > 0) {
    const bytes = missing.reduce((sum, archive) => sum + archive.bytes, 0);
    inform?.(
      () =>
        `downloading ${missing.length} packages: ${inMegabytes(bytesIn(apt))} of ${inMegabytes(bytes)} MB`,
    );
    await get('download', ...missing.map(({ spec }) => spec));
  }
  const unpacked: UnpackedPackage[] = [];
  inform?.(() => `unpacking packages: ${unpacked.length} of ${archives.length}`);
  for (const archive of archives) {
    const from = await unpackedPackage(archive, apt, execution);
    await execute('cp', ['--archive', '--link', '--force', `${join(from, 'root')}/.`, folder], execution);
    unpacked.push(JSON.parse(await readFile(join(from, ABOUT), 'utf8')) as UnpackedPackage);
  }
  await mkdir(join(folder, dirname(LIST)), { recursive: true });
  await writeFile(join(folder, LIST), JSON.stringify(unpacked));
  // On a real Debian, a script of the package makes this link.
  if (names.includes('dash')) await symlink('dash', join(folder, 'bin/sh')).catch(() => undefined);
  await rm(apt, { recursive: true });
};

/** `dpkg-deb --extract` would replace the links by folders. */
const EXTRACT =
  'dpkg-deb --fsys-tarfile "$0" | tar --extract --verbose --keep-directory-symlink --no-same-owner --directory "$1"';

const extract = async (deb: string, folder: string, execution: Execution): Promise<UnpackedPackage> => {
  const excluded = NOT_NEEDED.map((path) => `--exclude './usr/share/${path}'`).join(' ');
  const listed = await execute('sh', ['-c', `${EXTRACT} ${excluded}`, deb, folder], execution);
  const fields = await execute(
    'dpkg-deb',
    ['--field', deb, 'Package', 'Version', 'Source', 'Built-Using'],
    execution,
  );
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(fields)?.[1];
  const [name = '', version = ''] = [field('Package'), field('Version')];
  // Without the field Source, or without its version, the source has the name or version of the package.
  const [, source = name, sourceVersion = version] =
    /^(\S+)(?: \((.*)\))?$/.exec(field('Source') ?? name) ?? [];
  const builtUsing = field('Built-Using') ?? '';
  const sha256 = createHash('sha256')
    .update(await readFile(deb))
    .digest('hex');
  const files = listed.split('\n').flatMap((path) => (/[^/]$/.test(path) ? [path.replace('./', '')] : []));
  return { name, version, source, sourceVersion, builtUsing, sha256, files };
};

/** Compiles the modules of Python, which would take seconds in each guest. */
const compilePython = async (root: string, execution: Execution): Promise<void> => {
  const python = (await readdir(join(root, 'usr/bin'))).find((name) => /^python3\.\d+$/.test(name));
  if (python === undefined) return;
  execution.inform?.("compiling Python's modules");
  const { program, args } = packaged({ root }, join('usr/bin', python));
  const folders = [python, 'python3'].map((name) => join(root, 'usr/lib', name));
  const compile = ['-m', 'compileall', '-q', '-j', '0', '-s', root, '-p', '/', ...folders];
  const env = { ...process.env, PYTHONHOME: join(root, 'usr') };
  // Fails if a module is for another Python, but compiles the others.
  await execute(program, [...args, ...compile], { ...execution, env }).catch(() => undefined);
};

export const hasApt = (): boolean => ['apt-get', 'dpkg-deb'].every((name) => findProgram(name) !== undefined);

const aptGet = async (args: readonly string[], execution: Execution): Promise<string> => {
  try {
    return await execute('apt-get', args, execution);
  } catch (error) {
    if (execution.signal.aborted) throw error;
    if (error instanceof Missing) throw error;
    throw new Missing(
      `the Debian packages cannot be fetched (${messageOf(error)}): this needs apt of Debian 12 or a derivative`,
    );
  }
};

/** The command to run a program of the packages on this machine with the packages' libraries; `name` is its `argv[0]`. */
export const packaged = (
  { root }: Pick<Packages, 'root'>,
  path: string,
  name = path,
): { readonly program: string; readonly args: readonly string[] } => ({
  program: join(root, LOADER),
  args: ['--library-path', libraryPath(root), '--argv0', name, join(root, path)],
});

export const LOADER = 'lib64/ld-linux-x86-64.so.2';

export const libraryPath = (root: string): string =>
  ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu'].map((folder) => join(root, folder)).join(':');
