import { spawnSync } from 'node:child_process';
import type { Context } from 'mocha';

/** What must be present, comma-separated, where a run is meant to prove everything. */
const REQUIRED = 'AIRBENCH_REQUIRE';

/** Skips the test, with the reason, if `program` is not on the PATH; fails it where the run requires the program. */
export const requireProgram = (test: Context, program: string): void => {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  if (error === undefined) return;
  const reason = `${program} is not on the PATH`;
  const required = (process.env[REQUIRED] ?? '').split(',').map((name) => name.trim());
  if (required.includes(program)) throw new Error(`${reason}, and ${REQUIRED} names it`);
  if (test.test !== undefined) test.test.title += ` (skipped: ${reason})`;
  test.skip();
};
