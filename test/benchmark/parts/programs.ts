/** Whole programs: the start of a server, the first `npm start`, the simulated features. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { milliseconds, parseMessages, type Envelope, type Time } from '../../../features/report/messages.js';
import { HttpClient } from '../../../simulators/testing/internal/http-client.js';
import { Program } from '../../../simulators/testing/internal/program.js';
import { right } from '../../support/either.js';
import { newFolder } from '../../support/folders.js';
import { medianOf } from '../../support/statistics.js';
import type { Match, Part } from '../part.js';

/** One figure, against its limit. */
const allowed = (figure: string, limit: number, measure: () => Promise<number>): Match => ({
  figures: { [figure]: { unit: 's', goal: { atMost: 1 } } },
  ours: async () => ({ [figure]: await measure() }),
  floor: () => Promise.resolve({ [figure]: limit }),
});

const TIME = 'until the first request is answered';
const MEMORY = 'resident memory then';

const memoryOf = (pid: number | undefined): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

const startOf = async (name: string, args: readonly string[]): Promise<Record<string, number>> => {
  const begun = performance.now();
  const program = Program.node(args);
  try {
    const { status } = await fetch(new URL('/api/sessions', await program.url(name)));
    const ms = performance.now() - begun;
    if (status !== 200) throw new Error(`the first request was answered with ${status}`);
    return { [TIME]: ms, [MEMORY]: memoryOf(program.process.pid) };
  } finally {
    await program.signal('SIGKILL');
  }
};

const PORTS = ['dice', 'clock', 'control', 'hci'].flatMap((part) => [`--${part}-port`, '0']);
const NOT_COPIED = ['.git', 'dist', 'node_modules', 'reports'];

/** Seconds from `npm start` in an unbuilt copy of the project to the pages of both servers. */
const secondsOfFirstStart = async (): Promise<number> => {
  const folder = newFolder();
  cpSync('.', folder, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const begun = performance.now();
  const npm = spawn('npm', ['start', '--silent', '--', '--address', '127.0.0.1', ...PORTS], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const program = Program.of(npm);
  try {
    for (const server of ['dice server', 'clock server']) {
      const { status, text } = await new HttpClient(await program.url(server)).get('/');
      if (status !== 200 || !text.includes('<html')) throw new Error(`${server} answered ${status}: ${text}`);
    }
    return (performance.now() - begun) / 1000;
  } finally {
    // npm and its children are one process group.
    if (npm.pid !== undefined && npm.exitCode === null) process.kill(-npm.pid);
    await program.ended;
  }
};

export const start: Part = {
  name: 'start',
  summary: '`airbench dice`, against a program with bare express and express-ws; and the first `npm start`',
  async *matches() {
    const air = Program.airbench([
      ...['air', '--control-port', '0', '--hci-port', '0'],
      ...['--dice', '1', '--clocks', '0', '--pace', 'fast'],
    ]);
    const hci = await air.url('virtual radio');
    const dice = ['dist/bin/airbench.js', 'dice', '--address', '127.0.0.1', '--port', '0', '--hci', hci];
    yield {
      figures: {
        [TIME]: { unit: 'ms', goal: { atMost: 2 } },
        [MEMORY]: { unit: 'MB', goal: { atMost: 1.5 } },
      },
      ours: () => startOf('dice server', dice),
      floor: () => startOf('bare server', ['dist/test/benchmark/programs/bare-start.js']),
    };
    await air.signal('SIGKILL');
    yield allowed('npm start after npm ci, until both pages are served', 5, secondsOfFirstStart);
  },
};

/** Seconds of each scenario, its hooks included. */
const durationsOf = (envelopes: readonly Envelope[]): readonly number[] => {
  const begun = new Map<string, Time>();
  return envelopes.flatMap(({ testCaseStarted: start, testCaseFinished: end }) => {
    if (start !== undefined) begun.set(start.id, start.timestamp);
    const from = end === undefined ? undefined : begun.get(end.testCaseStartedId);
    if (end === undefined || from === undefined) return [];
    return [(milliseconds(end.timestamp) - milliseconds(from)) / 1000];
  });
};

const medianOfFeatures = async (args: readonly string[]): Promise<number> => {
  const reports = newFolder();
  const { status, stderr } = await Program.airbench(['features', '--report', reports, ...args]).ended;
  if (status !== 0) throw new Error(`the features ended with status ${String(status)}: ${stderr}`);
  const file = join(reports, 'simulated', 'messages.ndjson');
  return medianOf(durationsOf(right(parseMessages(file, readFileSync(file, 'utf8')))));
};

export const suite: Part = {
  name: 'suite',
  summary: 'the median of the scenarios of the simulated features, against what it may be',
  *matches({ size }) {
    yield allowed('a scenario', 0.15, () =>
      medianOfFeatures(size < 1 ? ['features/dice/controls.feature'] : []),
    );
  },
};
