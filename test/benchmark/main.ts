/**
 * `npm run bench -- [PART…] [--rounds N] [--size X] [--json FILE] [--compare OLD.json]`: what airbench costs, each figure beside
 * a floor that was measured in turns with it. Ends with status 1 if a goal is missed and `--strict` is given.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { measure, type Figure, type Part } from './part.js';
import { command } from './parts/command.js';
import { event } from './parts/event.js';
import { fanOut } from './parts/fan-out.js';
import { h4 } from './parts/h4.js';
import { mqtt } from './parts/mqtt.js';
import { page } from './parts/page.js';
import { radio } from './parts/radio.js';
import { rest } from './parts/rest.js';
import { start } from './parts/start.js';
import { suite } from './parts/suite.js';
import { world } from './parts/world.js';
import { comparisonOf, tableOf } from './table.js';

const PARTS: readonly Part[] = [event, fanOut, rest, command, radio, h4, world, page, mqtt, start, suite];

interface Flags {
  readonly rounds: number;
  readonly size: number;
  readonly json?: string;
  readonly compare?: string;
  readonly strict: boolean;
}

const positive = (given: string): number => {
  const value = Number(given);
  if (value > 0) return value;
  throw new InvalidArgumentError(`it must be a number above 0, got ${JSON.stringify(given)}`);
};

const wholeNumber = (given: string): number => {
  const value = positive(given);
  if (Number.isInteger(value)) return value;
  throw new InvalidArgumentError(`it must be a whole number, got ${JSON.stringify(given)}`);
};

const partsOf = (names: readonly string[]): readonly Part[] => {
  const wrong = names.find((name) => PARTS.every((part) => part.name !== name));
  if (wrong === undefined)
    return names.length === 0 ? PARTS : PARTS.filter(({ name }) => names.includes(name));
  throw new InvalidArgumentError(
    `a part must be one of ${PARTS.map(({ name }) => name).join(', ')}, got ${JSON.stringify(wrong)}`,
  );
};

const machine = (): string => {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${memory} GiB, ${type()} ${release()}, Node ${process.version}`;
};

const run = async (parts: readonly Part[], { rounds, size, json, compare, strict }: Flags): Promise<void> => {
  const before =
    compare === undefined ? undefined : (JSON.parse(readFileSync(compare, 'utf8')) as readonly Figure[]);
  console.log(`${machine()}; ${rounds} rounds of size ${size}\n`);
  const figures: Figure[] = [];
  for (const part of parts) {
    console.log(`# ${part.name}: ${part.summary}`);
    const own = await measure(part, { rounds, size }, () => undefined);
    figures.push(...own);
    console.log(`${tableOf(own)}\n`);
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  if (before !== undefined) console.log(comparisonOf(before, figures));
  const missed = figures.filter(({ holds }) => holds === false);
  if (missed.length > 0) console.log(`${missed.length} of ${figures.length} goals missed`);
  if (strict && missed.length > 0) process.exitCode = 1;
};

await new Command('bench')
  .description('what airbench costs, beside a floor')
  .argument('[part...]', PARTS.map(({ name }) => name).join(', '), (name: string, before?: string[]) => [
    ...(before ?? []),
    name,
  ])
  .option('--rounds <n>', 'how often each is measured', wholeNumber, 7)
  .option('--size <x>', 'how much at a time, 1 being usual', positive, 1)
  .option('--json <file>', 'the figures as JSON')
  .option('--compare <file>', 'the JSON of a run before: what has changed')
  .option('--strict', 'status 1 if a goal is missed', false)
  .action((names: string[], flags: Flags) => run(partsOf(names), flags))
  .parseAsync();
