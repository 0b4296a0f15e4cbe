/**
 * `npm run bench -- [PART…] [--rounds N] [--size X] [--json FILE] [--compare OLD.json]` measures the costs of airbench, each
 * figure in turns with a floor. With `--strict` it ends with status 1 if a goal is missed.
 */
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { Argument } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { flag, optionalTextFlag, switchFlag } from '../../src/cli/options/options.js';
import { refuse } from '../../src/cli/options/usage.js';
import { readJson } from '../../src/system/files.js';
import { countFlag, judged, longRun } from '../harness/command.js';
import { closeBrowsers } from '../support/browser.js';
import { endChildren } from './child.js';
import { measure, type Figure, type Part } from './part.js';
import { event, proxy } from './parts/latency.js';
import { page } from './parts/page.js';
import { start, suite } from './parts/programs.js';
import { h4, radio } from './parts/radio.js';
import { commands, fanOut, mqtt, rest } from './parts/servers.js';
import { comparisonOf, tableOf } from './table.js';

const PARTS: readonly Part[] = [
  ...[event, fanOut, rest, commands, radio, h4],
  ...[page, mqtt, proxy, start, suite],
];

interface Flags {
  readonly rounds: number;
  readonly size: number;
  readonly json: string | undefined;
  readonly compare: string | undefined;
  readonly strict: boolean;
}

const readSize = (text: string): E.Either<string, number> =>
  Number(text) > 0 ? E.right(Number(text)) : E.left('it must be a number above 0');

const machine = (): string => {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${memory} GiB, ${type()} ${release()}, Node ${process.version}`;
};

const readFigures = (file: string): readonly Figure[] =>
  pipe(
    readJson(file),
    E.getOrElseW((reason) => refuse(bench, `option '--compare <file>' is invalid: ${file}: ${reason}`)),
  ) as unknown as readonly Figure[];

const run = async (
  names: readonly string[],
  { rounds, size, json, compare, strict }: Flags,
): Promise<readonly string[]> => {
  const parts = names.length === 0 ? PARTS : PARTS.filter(({ name }) => names.includes(name));
  const before = compare === undefined ? undefined : readFigures(compare);
  console.log(`${machine()}; ${rounds} rounds of size ${size}\n`);
  const figures: Figure[] = [];
  for (const part of parts) {
    console.log(`# ${part.name}: ${part.summary}`);
    const measured = await measure(part, { rounds, size });
    await endChildren();
    await closeBrowsers();
    figures.push(...measured);
    console.log(`${tableOf(measured)}\n`);
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  if (before !== undefined) console.log(comparisonOf(before, figures));
  const missed = figures.filter(({ holds }) => holds === false);
  if (missed.length > 0) console.log(`${missed.length} of ${figures.length} goals missed`);
  return strict ? missed.map(({ part, figure, ratio }) => `${part}, ${figure}: ${ratio.toFixed(2)} ×`) : [];
};

const NAMES = PARTS.map(({ name }) => name);

const bench = longRun('bench', 'the costs of airbench, beside a floor')
  .addArgument(new Argument('[part...]', 'the parts; all by default').choices(NAMES))
  .addOption(countFlag('--rounds <number>', 'how often each part is measured', 7))
  .addOption(flag('--size <number>', 'the amount of work in a round, usually 1', readSize, 1))
  .addOption(optionalTextFlag('--json <file>', 'the figures as JSON'))
  .addOption(optionalTextFlag('--compare <file>', 'the JSON of an earlier run, to show changes'))
  .addOption(switchFlag('--strict', 'status 1 if a goal is missed'))
  .action(judged(run));

await bench.parseAsync();
