import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { split, type Part } from './split.js';

/** The output of tshark for a capture. @throws if tshark fails. */
export const tshark = async (file: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('tshark', ['-r', file, ...args], { maxBuffer: 2 ** 28 });
  return stdout;
};

/** The numbers of the records that tshark calls malformed, without records that a fault has changed. */
export const malformed = async (capture: Buffer): Promise<readonly number[]> => {
  const { commands, links, changed } = split(capture);
  const folder = await mkdtemp(join(tmpdir(), 'airbench-capture-'));
  const judge = async (part: Part, name: string): Promise<readonly number[]> => {
    const file = join(folder, name);
    await writeFile(file, part.capture);
    const printed = await tshark(file, '-Y', '_ws.malformed', '-T', 'fields', '-e', 'frame.number');
    return printed.split('\n').filter(Boolean).map(Number).map(part.numberOf);
  };
  try {
    const numbers = await Promise.all([judge(commands, 'commands'), judge(links, 'links')]);
    return numbers
      .flat()
      .filter((number) => !changed.has(number))
      .sort((a, b) => a - b);
  } finally {
    await rm(folder, { recursive: true });
  }
};
