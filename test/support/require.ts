import { spawnSync } from 'node:child_process';
import type { Context } from 'mocha';

/** What must be present, comma-separated, where a run is meant to prove everything. */
const REQUIRED = 'AIRBENCH_REQUIRE';

/** Skips the test, or in `beforeEach` the one that comes, with the reason in its title. */
const skip = (test: Context, reason: string): void => {
  const skipped = test.currentTest ?? test.test;
  if (skipped !== undefined) skipped.title += ` (skipped: ${reason})`;
  test.skip();
};

/** Skips the test, with the reason, if `program` is not on the PATH; fails it where the run requires the program. */
export const requireProgram = (test: Context, program: string): void => {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  if (error === undefined) return;
  const reason = `${program} is not on the PATH`;
  const required = (process.env[REQUIRED] ?? '').split(',').map((name) => name.trim());
  if (required.includes(program)) throw new Error(`${reason}, and ${REQUIRED} names it`);
  skip(test, reason);
};

/** Skips the test on Windows; `what` Windows lacks, such as `Unix sockets`. */
export const requireUnix = (test: Context, what: string): void => {
  if (process.platform === 'win32') skip(test, `Windows has no ${what}`);
};

/** Skips the test on other systems than Linux; `what` they lack. */
export const requireLinux = (test: Context, what: string): void => {
  if (process.platform !== 'linux') skip(test, `${process.platform} has no ${what}`);
};
