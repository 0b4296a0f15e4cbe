import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { AIRBENCH } from '../../src/system/package.js';
import { REPORTS, type Report } from './report.js';

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

/** Milliseconds; the features take about a minute, on a busy machine many minutes. */
const LIMIT = 600_000;

/**
 * Runs the scenarios with the tag `@kernel`, or those of `tags`, on the running servers at `urls`; each scenario is a
 * check. `radio` is the beginning of each title.
 */
export const runFeatures = async (
  report: Report,
  urls: Readonly<Record<'dice' | 'clock' | 'control', string>>,
  signal: AbortSignal,
  { radio = '', tags = '@kernel' } = {},
): Promise<void> => {
  const results = `${REPORTS}/features.json`;
  rmSync(results, { force: true });
  const servers = Object.entries(urls).flatMap(([name, url]) => [`--${name}`, url]);
  const args = [...servers, '--report', REPORTS, '--tags', tags, '--format', `json:${results}`];
  const cucumber = spawn(process.execPath, [AIRBENCH, 'features', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]),
  });
  const exit = await once(cucumber, 'close').then(
    ([status]) => `cucumber ended with status ${String(status)}`,
    (error: unknown) => `cucumber was ended: ${String(error)}`,
  );
  process.stdout.write('\n');
  const ran = await report.check(`${radio}the features tagged ${tags} were run`, () => {
    if (!/status [01]$/.test(exit)) throw new Error(exit);
  });
  if (!ran) return;
  const features = JSON.parse(readFileSync(results, 'utf8')) as readonly Feature[];
  for (const scenario of features.flatMap(({ elements }) => elements)) {
    await report.check(`${radio}${titleOf(scenario)}`, () => {
      const failed = scenario.steps.find(({ result }) => result.status !== 'passed')?.result;
      if (failed !== undefined) throw new Error(failed.error_message ?? failed.status);
    });
  }
};

/** The name of a scenario, with its tags for lines of the contract. */
const titleOf = ({ name, tags }: Scenario): string => {
  const lines = tags.map((tag) => tag.name).filter((tag) => /^@[DC]-/.test(tag));
  return [...lines, name].join(' ');
};
