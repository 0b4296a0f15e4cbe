/** `npm run nodes`: runs build, unit tests, tests of programs and features on each supported Node, fetched from npm. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Argument, Command } from 'commander';
import { fetchNode, npmProgram, type Node } from './fetch.js';
import { supportedNodes } from './supported.js';

const BAD_USAGE = 2;
const INTERRUPTED = 130;

const TESTS = ['unit', 'e2e', 'browser', 'slow', 'features'];

interface Outcome {
  readonly passed: boolean;
  readonly text: string;
}

const runScript = async (
  script: string,
  node: Node,
  reports: string,
  signal: AbortSignal,
): Promise<Outcome> => {
  const path = join(reports, `${script}.log`);
  const log = await open(path, 'w');
  const PATH = [node.folder, process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn(join(node.folder, 'node'), [npmProgram(), 'run', script], {
    // Windows calls the variable Path, and uses one of the two.
    env: { ...process.env, Path: PATH, PATH, AIRBENCH_REPORTS: reports },
    stdio: ['ignore', log.fd, log.fd],
    signal,
  });
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    return { passed: status === 0, text: `${script}: ${status === 0 ? 'ok' : `see ${path}`}` };
  } finally {
    await log.close();
  }
};

const testOn = async (major: number, signal: AbortSignal): Promise<Outcome> => {
  const node = await fetchNode(major, signal);
  const reports = join('reports', 'nodes', String(major));
  await mkdir(reports, { recursive: true });
  const outcomes = [await runScript('build', node, reports, signal)];
  if (outcomes.every(({ passed }) => passed)) {
    for (const script of TESTS) outcomes.push(await runScript(script, node, reports, signal));
  }
  return {
    passed: outcomes.every(({ passed }) => passed),
    text: [`Node ${node.version}`, ...outcomes.map(({ text }) => text)].join('  '),
  };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const main = async (majors: readonly number[], signal: AbortSignal): Promise<number> => {
  let failed = 0;
  for (const major of majors) {
    const outcome = await testOn(major, signal).catch((error: unknown): Outcome => {
      signal.throwIfAborted();
      return { passed: false, text: `Node ${major}  ${messageOf(error)}` };
    });
    process.stdout.write(`${outcome.passed ? 'ok    ' : 'not ok'}  ${outcome.text}\n`);
    if (!outcome.passed) failed++;
  }
  process.stdout.write(`${majors.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
};

const readMajors = (): readonly number[] => {
  const supported = supportedNodes();
  const command = new Command('nodes')
    .description(
      'run build, unit tests, tests of programs and features on the newest Node of each supported major version',
    )
    .addArgument(new Argument('[majors...]', 'all versions by default').choices(supported.map(String)))
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USAGE))
    .parse();
  const [majors] = command.processedArgs as [readonly string[]];
  return majors.length === 0 ? supported : majors.map(Number);
};

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());

const majors = readMajors();
try {
  process.exitCode = await main(majors, stop.signal);
} catch (error) {
  process.stderr.write(`${stop.signal.aborted ? 'interrupted' : messageOf(error)}\n`);
  process.exitCode = stop.signal.aborted ? INTERRUPTED : 1;
}
