import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import type { Context } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';

/** The variable with the programs that a complete run requires, comma-separated. */
const REQUIRED = 'AIRBENCH_REQUIRE';

/** The variable with a file for notes: the test files that use an optional program, and its presence (ci/stages.mjs reads them). */
const NOTES = 'AIRBENCH_PROGRAM_NOTES';

const note = (test: Context, program: string, isPresent: boolean): void => {
  const path = process.env[NOTES];
  const file = (test.currentTest ?? test.test)?.file;
  if (path === undefined || file === undefined) return;
  appendFileSync(path, `${JSON.stringify({ program, file: relative('.', file), found: isPresent })}\n`);
};

/** Skips the test, or in `beforeEach` the next test, with the reason in its title. */
const skip = (test: Context, reason: string): void => {
  const skipped = test.currentTest ?? test.test;
  if (skipped !== undefined) skipped.title += ` (skipped: ${reason})`;
  test.skip();
};

/** Skips the test, with the reason; fails it if the run requires the missing program. */
const missing = (test: Context, requirement: string, reason: string): void => {
  const required = (process.env[REQUIRED] ?? '').split(',').map((name) => name.trim());
  if (required.includes(requirement)) throw new Error(`${reason}, and ${REQUIRED} names it`);
  skip(test, reason);
};

/** Skips the test if `program` is not on the PATH. */
export const requireProgram = (test: Context, program: string): void => {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  note(test, program, error === undefined);
  if (error !== undefined) missing(test, program, `${program} is not on the PATH`);
};

/** The first `python3` on the PATH with `module` and `further` modules; skips the test without one. Only Debian's Python has Debian's modules. */
export const requirePython = (test: Context, module: string, ...further: readonly string[]): string => {
  const pythons = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'python3'));
  const modules = [module, ...further].join(', ');
  const python = pythons.find(
    (python) => spawnSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' }).status === 0,
  );
  note(test, `Python's ${module}`, python !== undefined);
  if (python === undefined) missing(test, module, `no Python has ${modules}`);
  return python ?? '';
};

/** The path of the folder's own packages; skips the test if they are not installed. */
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
  const [, limit = '0'] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  if (Number(limit) < count)
    missing(test, 'descriptors', `only ${limit} descriptors of ${count} may be open`);
};

/** Skips the test on Windows; `feature`: missing there, such as `Unix sockets`. */
export const requireUnix = (test: Context, feature: string): void => {
  if (process.platform === 'win32') skip(test, `Windows has no ${feature}`);
};

/** Skips the test unless it runs as root. */
export const requireRoot = (test: Context): void => {
  if (process.geteuid?.() !== 0) skip(test, 'it needs root');
};

/** Skips the test on systems other than Linux; `feature`: missing there. */
export const requireLinux = (test: Context, feature: string): void => {
  if (process.platform !== 'linux') skip(test, `${process.platform} has no ${feature}`);
};
