import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { cached } from '../../src/linux/cache.js';

const DAY = 24 * 60 * 60 * 1000;

describe('The cache of what boots a guest', () => {
  let cache: string;
  let before: string | undefined;
  let made: number;

  beforeEach(() => {
    made = 0;
    cache = mkdtempSync(join(tmpdir(), 'airbench-cache-'));
    before = process.env['AIRBENCH_CACHE'];
    process.env['AIRBENCH_CACHE'] = cache;
  });

  afterEach(() => {
    if (before === undefined) delete process.env['AIRBENCH_CACHE'];
    else process.env['AIRBENCH_CACHE'] = before;
    rmSync(cache, { recursive: true });
  });

  const make = async (folder: string): Promise<void> => {
    made += 1;
    await writeFile(join(folder, 'file'), 'whole');
  };

  const untouchedFor = (folder: string, days: number): void => {
    const then = new Date(Date.now() - days * DAY);
    utimesSync(folder, then, then);
  };

  it('has a folder made once for the same ingredients', async () => {
    const folder = await cached('system', ['a'], make);
    expect(readFileSync(join(folder, 'file'), 'utf8')).to.equal('whole');
    expect(await cached('system', ['a'], make)).to.equal(folder);
    expect(await cached('system', ['b'], make)).to.not.equal(folder);
    expect(made).to.equal(2);
  });

  it('keeps nothing of one that failed, and makes it again', async () => {
    const failing = async (folder: string): Promise<void> => {
      await make(folder);
      throw new Error('no network');
    };
    const error = await cached('system', ['a'], failing).catch((reason: unknown) => reason);
    expect(error).to.have.property('message', 'no network');
    expect(readdirSync(cache)).to.be.empty;
    await cached('system', ['a'], make);
    expect(made).to.equal(2);
  });

  it('has it whole where two make it concurrently', async () => {
    const [one, other] = await Promise.all([cached('system', ['a'], make), cached('system', ['a'], make)]);
    expect(one).to.equal(other);
    expect(readdirSync(cache)).to.have.lengthOf(1);
    expect(readdirSync(one)).to.deep.equal(['file']);
  });

  it('forgets what was not used for thirty days, finished or not, and nothing of another name', async () => {
    const old = await cached('system', ['a'], make);
    const used = await cached('system', ['b'], make);
    const other = await cached('packages', ['a'], make);
    const half = join(cache, 'system-0123456789ab.killed');
    mkdirSync(half);
    for (const folder of [old, used, other, half]) untouchedFor(folder, 31);
    await cached('system', ['b'], make);
    await cached('system', ['c'], make);
    expect([old, used, other, half].map(existsSync)).to.deep.equal([false, true, true, false]);
  });
});
