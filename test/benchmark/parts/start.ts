import { execFileSync } from 'node:child_process';
import { secondsOfFirstStart } from '../fresh-copy.js';
import type { Match, Part } from '../part.js';
import { Program } from '../../../src/testing/internal/program.js';

/** The program that `npx airbench` runs. */
const PROGRAM = 'dist/bin/airbench.js';

const TIME = 'until the first request is answered';
const MEMORY = 'resident memory then';
const FIRST_START = 'npm start after npm ci, until both pages are served, against what it may take';

/** Seconds. */
const ALLOWED = { [FIRST_START]: 5 };

const memoryOf = (pid: number | undefined): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

const measured = async (start: () => Program, name: string): Promise<Record<string, number>> => {
  const begun = performance.now();
  const program = start();
  try {
    const { status } = await fetch(new URL('/api/sessions', await program.url(name)));
    const ms = performance.now() - begun;
    if (status !== 200) throw new Error(`the first request was answered with ${status}`);
    return { [TIME]: ms, [MEMORY]: memoryOf(program.process.pid) };
  } finally {
    await program.signal('SIGKILL');
  }
};

async function* matches(): AsyncGenerator<Match> {
  const air = Program.air(['--dice', '1', '--clocks', '0', '--pace', 'fast']);
  try {
    const hci = await air.url('virtual radio');
    yield {
      figures: {
        [TIME]: { unit: 'ms', goal: { atMost: 2 } },
        [MEMORY]: { unit: 'MB', goal: { atMost: 1.5 } },
      },
      ours: () =>
        measured(
          () => Program.node([PROGRAM, 'dice', '--address', '127.0.0.1', '--port', '0', '--hci', hci]),
          'dice server',
        ),
      floor: () =>
        measured(() => Program.node(['dist/test/benchmark/programs/bare-start.js']), 'bare server'),
    };
  } finally {
    await air.signal('SIGKILL');
  }
  yield {
    figures: { [FIRST_START]: { unit: 's', goal: { atMost: 1 } } },
    ours: async () => ({ [FIRST_START]: await secondsOfFirstStart() }),
    floor: () => Promise.resolve(ALLOWED),
  };
}

export const start: Part = {
  name: 'start',
  summary: '`airbench dice`, against a program with bare express and express-ws; and the first `npm start`',
  matches,
};
