import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import type { Context } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';

/** The programs that must be present, comma-separated, where a run is meant to test everything. */
const REQUIRED = 'AIRBENCH_REQUIRE';

/** Names a file for notes: which test files use an optional program, and whether it was there (ci/stages.mjs reads them). */
const NOTES = 'AIRBENCH_PROGRAM_NOTES';

const note = (test: Context, program: string, found: boolean): void => {
  const path = process.env[NOTES];
  const file = (test.currentTest ?? test.test)?.file;
  if (path === undefined || file === undefined) return;
  appendFileSync(path, `${JSON.stringify({ program, file: relative('.', file), found })}\n`);
};

/** Skips the test, or in `beforeEach` the one that comes, with the reason in its title. */
const skip = (test: Context, reason: string): void => {
  const skipped = test.currentTest ?? test.test;
  if (skipped !== undefined) skipped.title += ` (skipped: ${reason})`;
  test.skip();
};

/** Skips the test, with the reason; fails it if the run requires the missing program. */
const missing = (test: Context, what: string, reason: string): void => {
  const required = (process.env[REQUIRED] ?? '').split(',').map((name) => name.trim());
  if (required.includes(what)) throw new Error(`${reason}, and ${REQUIRED} names it`);
  skip(test, reason);
};

/** Skips the test if `program` is not on the PATH. */
export const requireProgram = (test: Context, program: string): void => {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  note(test, program, error === undefined);
  if (error !== undefined) missing(test, program, `${program} is not on the PATH`);
};

/** The first `python3` on the PATH that has `module` and `others`; skips the test if none has. Only Debian's own Python has Debian's modules. */
export const requirePython = (test: Context, module: string, ...others: readonly string[]): string => {
  const pythons = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'python3'));
  const modules = [module, ...others].join(', ');
  const python = pythons.find(
    (python) => spawnSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' }).status === 0,
  );
  note(test, `Python's ${module}`, python !== undefined);
  if (python === undefined) missing(test, module, `no Python has ${modules}`);
  return python ?? '';
};

/** The packages of a folder that has its own; skips the test if they are not installed. */
export const requirePackages = (test: Context, folder: string): string => {
  const packages = join(folder, 'node_modules');
  if (!existsSync(packages))
    missing(test, 'packages', `${packages} is missing, which npm run packages installs`);
  return packages;
};

/** Skips the test if `airbench linux` with these flags has no guest: Debian's packages, or the network to fetch them, are missing. */
export const requireGuest = (test: Context, flags: readonly string[]): void => {
  const args = [AIRBENCH, 'linux', ...flags, '--', 'true'];
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  note(test, 'qemu', status === 0);
  if (status !== 0) missing(test, 'qemu', stderr.toString().trim());
};

/** Skips the test on Linux if this process may not open `count` descriptors. */
export const requireDescriptors = (test: Context, count: number): void => {
  const [, most = '0'] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  if (Number(most) < count) missing(test, 'descriptors', `only ${most} descriptors of ${count} may be open`);
};

/** Skips the test on Windows; `what` Windows lacks, such as `Unix sockets`. */
export const requireUnix = (test: Context, what: string): void => {
  if (process.platform === 'win32') skip(test, `Windows has no ${what}`);
};

/** Skips the test unless it runs as root. */
export const requireRoot = (test: Context): void => {
  if (process.geteuid?.() !== 0) skip(test, 'it takes root');
};

/** Skips the test on other systems than Linux; `what` they lack. */
export const requireLinux = (test: Context, what: string): void => {
  if (process.platform !== 'linux') skip(test, `${process.platform} has no ${what}`);
};
