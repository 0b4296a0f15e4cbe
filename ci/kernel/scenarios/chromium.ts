import { once } from 'node:events';
import { airbenchLinux, textOf } from '../airbench-linux.js';
import type { Setup } from '../setup.js';

/** Milliseconds; Chromium takes a minute under emulation, on a loaded machine four. */
const LIMIT = 600_000;

const EXPECTED = 'GoDice_000001_R_v04 has 100 %\n';

/** A page in this machine's Chromium, in a guest of its own. */
export const proveChromium = async ({ report, signal }: Setup): Promise<void> => {
  await report.check(
    'airbench linux runs Chromium, in which a page finds a die by Web Bluetooth and reads its battery',
    async () => {
      const world = ['--dice', '1', '--clocks', '0'];
      const program = airbenchLinux([...world, '--', 'node', 'chromium.mjs'], LIMIT, signal);
      const said = textOf(program.stdout);
      const warned = textOf(program.stderr);
      program.stdin?.end();
      await once(program, 'close');
      if (said() !== EXPECTED) throw new Error(`it says ${JSON.stringify(said())}: ${warned()}`);
    },
  );
};
