import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { CannotRun } from '../../features/bench/cannot-run.js';
import { lockBench } from '../../features/bench/lock.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';

const LOCK = new URL('../../features/bench/lock.js', import.meta.url).href;

describe('The lock of a bench', () => {
  let folder: string;
  let bench: string;

  beforeEach(() => {
    folder = newFolder();
    bench = join(folder, 'bench.json');
  });

  it('names its holder to a second process, and disappears with its release', () => {
    const release = lockBench(bench);
    expect(readFileSync(`${bench}.lock`, 'utf8')).to.equal(String(process.pid));
    expect(() => lockBench(bench)).to.throw(CannotRun, `is in use by process ${process.pid}`);
    release();
    expect(existsSync(`${bench}.lock`)).to.be.false;
    lockBench(bench)();
  });

  it('is taken over from an ended process', async () => {
    const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(gone, 'exit');
    writeFileSync(`${bench}.lock`, String(gone.pid));
    const release = lockBench(bench);
    expect(readFileSync(`${bench}.lock`, 'utf8')).to.equal(String(process.pid));
    release();
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    it(`disappears when ${signal} ends its holder`, async function () {
      requireUnix(this, 'signals that a program may hear');
      const script = `
        const { lockBench } = await import(${JSON.stringify(LOCK)});
        lockBench(${JSON.stringify(bench)});
        console.log('locked');
        process.stdin.resume();`;
      const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const ended = once(holder, 'exit');
      await Promise.race([once(holder.stdout, 'data'), ended]);
      expect(existsSync(`${bench}.lock`)).to.be.true;
      holder.kill(signal);
      expect(await ended).to.deep.equal([128 + constants.signals[signal], null]);
      expect(existsSync(`${bench}.lock`)).to.be.false;
    });
  }

  it('refuses an unwritable folder with a clear message', () => {
    expect(() => lockBench(join(folder, 'no', 'bench.json'))).to.throw(CannotRun, 'cannot be locked');
  });
});
