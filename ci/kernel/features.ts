import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import type { Report } from './report.js';
import { REPORTS } from './setup.js';

/** Where the features find servers and devices. */
export interface Bench {
  readonly diceUrl: string;
  readonly clockUrl: string;
  readonly controlUrl: string;
}

/** The part of Cucumber's JSON that is read here. */
interface Feature {
  readonly elements: readonly Scenario[];
}

interface Scenario {
  readonly name: string;
  readonly tags: readonly { readonly name: string }[];
  readonly steps: readonly {
    readonly result: { readonly status: string; readonly error_message?: string };
  }[];
}

/** Milliseconds; they take about a minute, on a loaded machine many times that. */
const LIMIT = 600_000;

/** Runs the scenarios tagged `@kernel` against servers that are up; each is a check. */
export const runFeatures = async (report: Report, bench: Bench, signal: AbortSignal): Promise<void> => {
  const results = `${REPORTS}/features.json`;
  rmSync(results, { force: true });
  const arguments_ = ['--profile', 'attach', '--tags', '@kernel', '--format', `json:${results}`];
  const cucumber = spawn(process.execPath, ['dist/features/main.js', ...arguments_], {
    env: {
      ...process.env,
      AIRBENCH_REPORTS: REPORTS,
      DICE_URL: bench.diceUrl,
      CLOCK_URL: bench.clockUrl,
      CONTROL_URL: bench.controlUrl,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]),
  });
  const exit = await once(cucumber, 'close').then(
    ([status]) => `cucumber ended with status ${String(status)}`,
    (error: unknown) => `cucumber was ended: ${String(error)}`,
  );
  process.stdout.write('\n');
  const scenarios = await report.check('the features tagged @kernel were run', () => {
    if (!/status [01]$/.test(exit)) throw new Error(exit);
  });
  if (!scenarios) return;
  const features = JSON.parse(readFileSync(results, 'utf8')) as readonly Feature[];
  for (const scenario of features.flatMap(({ elements }) => elements)) {
    await report.check(titleOf(scenario), () => {
      const failed = scenario.steps.find(({ result }) => result.status !== 'passed')?.result;
      if (failed !== undefined) throw new Error(failed.error_message ?? failed.status);
    });
  }
};

/** With the lines of the contract that it shows. */
const titleOf = ({ name, tags }: Scenario): string => {
  const lines = tags.map((tag) => tag.name).filter((tag) => /^@[DC]-/.test(tag));
  return [...lines, name].join(' ');
};
