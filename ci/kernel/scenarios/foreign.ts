import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { textOf } from '../airbench-linux.js';
import { AIRBENCH } from '../../../src/system/package.js';
import type { Setup } from '../setup.js';

/** Milliseconds; packages may have to be fetched. */
const LIMIT = 600_000;

const run = promisify(execFile);

const ONE_DIE = [AIRBENCH, 'linux', '--dice', '1', '--clocks', '0'];
const BATTERY = /^found GoDice_000001_R_v04\nbattery 100 %\n/;

/** Programs of others, in a folder with the scripts of docs/lab and what npm installs for them. */
const PROGRAMS = [
  {
    title: 'Qt Bluetooth finds a die and reads its battery',
    args: [...ONE_DIE, '--packages', 'python3-pyqt5.qtbluetooth', '--', 'python3', 'qt.py'],
    expected: BATTERY,
  },
  {
    title: 'webbluetooth, by SimpleBLE, finds a die and reads its battery',
    args: [...ONE_DIE, '--', 'node', 'webbluetooth.mjs'],
    expected: BATTERY,
  },
  {
    title: 'the tests of node-ble against a device pass',
    args: ['node-ble.mjs', 'e2e.spec'],
    expected: /^PASS .*e2e\.spec\.js[^]*^Tests: +12 passed, 12 total$/m,
  },
] as const;

/** Programs on BlueZ of others, each by the command on its page in docs/lab. */
export const proveForeign = async ({ report, signal }: Setup): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'airbench-foreign-'));
  try {
    await cp('docs/lab', folder, { recursive: true });
    const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', folder];
    await run('npm', ['install', ...quietly, 'node-ble', 'webbluetooth', 'jest@29'], { signal });
    await cp(join(folder, 'node_modules/node-ble'), join(folder, 'node-ble'), { recursive: true });
    await symlink(resolve('.'), join(folder, 'node_modules/airbench'));
    for (const { title, args, expected } of PROGRAMS) {
      await report.check(title, async () => {
        const program = spawn(process.execPath, args, {
          cwd: folder,
          signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]),
          killSignal: 'SIGKILL',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const [said, warned] = [textOf(program.stdout), textOf(program.stderr)];
        const [status] = (await once(program, 'close')) as [number | null];
        if (status !== 0 || !expected.test(said()))
          throw new Error(`it ended with status ${status}, and said:\n${said()}${warned()}`);
      });
    }
  } finally {
    await rm(folder, { recursive: true, maxRetries: 10 });
  }
};
