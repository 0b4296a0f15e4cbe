import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Report } from '../../ci/kernel/report.js';
import { newFolder } from '../support/folders.js';

describe('The report of the kernel scenarios', () => {
  it('reports a check that fails, and does not call an interrupted one failed', async () => {
    const path = join(newFolder(), 'serial.log');
    const stop = new AbortController();
    const report = new Report(path, stop.signal);
    const lines: unknown[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text: unknown) => lines.push(text) > 0;
    const proof = () => Promise.reject(new Error('QEMU ended'));
    const failed = await report.check('it holds', proof).finally(() => (process.stdout.write = write));
    stop.abort(new Error('interrupted'));
    const interrupted = await report.check('it holds still', proof).catch(String);
    await report.close();
    expect({ failed, interrupted }).to.deep.equal({ failed: false, interrupted: 'Error: interrupted' });
    expect(lines.join('')).to.equal('not ok 1 - it holds\n# QEMU ended\n');
    expect(readFileSync(path, 'utf8')).to.equal('not ok 1 - it holds\n# QEMU ended\n');
    expect(report).to.include({ passed: 0, failed: 1 });
  });
});
