import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { newFolder } from '../support/folders.js';
import { useVariables } from '../support/variables.js';
import { cached, cacheSize, removeUnused } from '../../simulators/lab/linux/cache.js';
import { Missing } from '../../simulators/lab/linux/program.js';

const DAY = 24 * 60 * 60 * 1000;

describe('The cache of guests', () => {
  let cache: string;
  let made: number;
  const setVariable = useVariables();

  beforeEach(() => {
    made = 0;
    cache = newFolder();
    setVariable('AIRBENCH_CACHE', cache);
  });

  const make = async (folder: string): Promise<void> => {
    made += 1;
    await writeFile(join(folder, 'file'), 'whole');
  };

  const untouchedFor = (folder: string, days: number): void => {
    const then = new Date(Date.now() - days * DAY);
    utimesSync(folder, then, then);
  };

  it('makes a folder once for the same ingredients', async () => {
    const folder = await cached('system', ['a'], make);
    expect(readFileSync(join(folder, 'file'), 'utf8')).to.equal('whole');
    expect(await cached('system', ['a'], make)).to.equal(folder);
    expect(await cached('system', ['b'], make)).to.not.equal(folder);
    expect(made).to.equal(2);
  });

  it('keeps no files of a failed folder, and makes it again', async () => {
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

  for (const reason of [
    'ENOSPC: no space left on device, write',
    'tar failed: tar: ./usr/bin/x: Cannot write: No space left on device',
    "apt-get failed: E: You don't have enough free space in /x/archives/.",
  ]) {
    it(`names the folder of a full disk: ${reason}`, async () => {
      const fill = () => Promise.reject(new Error(reason));
      const error = await cached('system', ['a'], () =>
        cached('package', ['b'], fill).then(() => undefined),
      ).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Missing);
      expect(error).to.have.property('message').that.contains(`the disk of ${cache} is full`);
    });
  }

  it('has a complete folder if two runs make it at the same time', async () => {
    const [first, second] = await Promise.all([cached('system', ['a'], make), cached('system', ['a'], make)]);
    expect(first).to.equal(second);
    expect(readdirSync(cache)).to.have.lengthOf(1);
    expect(readdirSync(first)).to.deep.equal(['file']);
  });

  it('deletes folders of one name without a use in thirty days, finished or not', async () => {
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

  it('prunes unused folders of all names, and keeps foreign ones', async () => {
    const [old, recent] = [await cached('system', ['a'], make), await cached('state', ['b'], make)];
    mkdirSync(join(cache, 'kept'));
    for (const folder of [old, join(cache, 'kept')]) untouchedFor(folder, 3);
    untouchedFor(recent, 1);
    expect(await removeUnused(2)).to.equal(1);
    expect(readdirSync(cache)).to.have.members(['kept', basename(recent)]);
    expect(await removeUnused(0)).to.equal(1);
  });

  it('counts a file with two names once', async () => {
    const folder = await cached('system', ['a'], (made) => writeFile(join(made, 'file'), Buffer.alloc(1e6)));
    const size = await cacheSize();
    expect(size).to.be.within(1e6, 1.1e6);
    linkSync(join(folder, 'file'), join(folder, 'again'));
    expect(await cacheSize()).to.be.below(size + 1e5);
  });
});
