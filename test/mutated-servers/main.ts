/**
 * Breaks the servers in every way, and prints by line how many mutations there are, how many its scenarios noticed, the survivors, and
 * the excluded ones with the reason. Arguments: `dice`, `clock` (both unless given), `--line TAG`, `--jobs N`. Exits with 1 if one
 * survived.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { groupBy } from 'fp-ts/lib/NonEmptyArray.js';
import { KINDS, type Kind } from '../../src/contract/kinds.js';
import { BrokenServer } from './broken-server.js';
import type { Mutation } from './mutation.js';
import { mutationsOf } from './mutations.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    line: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    part: { type: 'string' },
  },
});

const kinds = KINDS.filter((kind) => positionals.length === 0 || positionals.includes(kind));
const chosen = (kind: Kind): readonly Mutation[] =>
  mutationsOf(kind).filter(({ tag }) => values.line === undefined || tag === values.line);

/** Runs each `jobs`th mutation, from the `part`th on, and tells the parent process about the survivors. */
const runPart = async (part: number, jobs: number): Promise<void> => {
  for (const kind of kinds) {
    const mine = chosen(kind)
      .filter(({ excluded }) => excluded === undefined)
      .filter((_, index) => index % jobs === part);
    const mutated = await BrokenServer.start(kind, `mutated-${kind}-${part}`);
    for (const mutation of mine) {
      const problem = await mutated.isNoticed(mutation).then(
        (isNoticed) => (isNoticed ? undefined : ''),
        (error: unknown) => ` (${String(error)})`,
      );
      if (problem !== undefined) process.send?.(`${kind} ${mutation.defect}${problem}`);
    }
    await mutated.close();
  }
};

const survivors = async (jobs: number): Promise<readonly string[]> => {
  const messages: string[] = [];
  const parts = Array.from({ length: jobs }, (_, part) =>
    fork(process.argv[1] ?? '', [...process.argv.slice(2), '--part', String(part)]),
  );
  const statuses = await Promise.all(
    parts.map(async (child) => {
      child.on('message', (message) => {
        messages.push(message as string);
        process.stderr.write(`survived: ${message as string}\n`);
      });
      const [status] = (await once(child, 'exit')) as [number | null];
      return status;
    }),
  );
  if (statuses.some((status) => status !== 0)) throw new Error('a part of the run ended early');
  return messages;
};

const table = (kind: Kind, survived: readonly string[]): readonly string[] =>
  Object.entries(groupBy(({ tag }: Mutation) => tag)([...chosen(kind)])).flatMap(([tag, ofLine]) => {
    const excluded = ofLine.filter((mutation) => mutation.excluded !== undefined);
    const left = survived.filter((text) =>
      ofLine.some(({ defect }) => text === `${kind} ${defect}` || text.startsWith(`${kind} ${defect} (`)),
    );
    const noticed = ofLine.length - excluded.length - left.length;
    return [
      `${tag}: ${ofLine.length} made, ${noticed} noticed, ${left.length} survived, ${excluded.length} excluded`,
      ...left.map((text) => `  survived: ${text}`),
      ...excluded.map(({ defect, excluded: reason = '' }) => `  excluded: ${kind} ${defect}: ${reason}`),
    ];
  });

const jobs = Number(values.jobs);
if (values.part !== undefined) {
  await runPart(Number(values.part), jobs);
} else {
  const survived = await survivors(jobs);
  const lines = kinds.flatMap((kind) => table(kind, survived));
  process.stdout.write(`${lines.join('\n')}\n${survived.length} survived\n`);
  process.exitCode = survived.length === 0 ? 0 : 1;
}
