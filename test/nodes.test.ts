import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { cucumberCounts, countsText, mochaCounts } from '../ci/nodes/counts.js';
import { supportedNodes } from '../ci/nodes/supported.js';

describe('npm run nodes', () => {
  it('takes the major versions from engines', () => {
    expect(supportedNodes('^20.19.0 || ^22.13.0 || >=26.0.0')).to.deep.equal([20, 22, 26]);
  });

  it('counts what Mocha ends with', () => {
    const end =
      '    ✔ 3. a lost link, with 7 passing\n\n\n  2320 passing (2m)\n  1 pending\n  24 failing\n\n  1) what\n';
    expect(mochaCounts(end)).to.deep.equal({ passed: 2320, failed: 24, skipped: 1 });
    expect(mochaCounts('\n\n  3 passing (4ms)\n\n')).to.deep.equal({ passed: 3, failed: 0, skipped: 0 });
    expect(mochaCounts('Error: Cannot find module')).to.equal(undefined);
  });

  it('counts what Cucumber ends with', () => {
    const end = '....F\n\n9 scenarios (1 failed, 1 undefined, 2 skipped, 5 passed)\n40 steps (40 passed)\n';
    expect(cucumberCounts(end)).to.deep.equal({ passed: 5, failed: 2, skipped: 2 });
    expect(cucumberCounts('1 scenario (1 passed)\n')).to.deep.equal({ passed: 1, failed: 0, skipped: 0 });
    expect(cucumberCounts('0 scenarios\n')).to.equal(undefined);
  });

  it('reports skipped ones only if there are any', () => {
    expect(countsText({ passed: 2, failed: 1, skipped: 0 })).to.equal('2 passed, 1 failed');
    expect(countsText({ passed: 2, failed: 0, skipped: 3 })).to.equal('2 passed, 0 failed, 3 skipped');
  });

  for (const args of [['19'], ['22', 'newest'], ['22.13.0']]) {
    it(`refuses ${args.join(' ')} with a clear message`, () => {
      const { status, stderr, stdout } = spawnSync(process.execPath, ['dist/ci/nodes/main.js', ...args], {
        encoding: 'utf8',
      });
      const message = `must be one of ${supportedNodes().join(', ')}, got "${args.at(-1) ?? ''}"`;
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr.trim().split('\n')).to.have.lengthOf(1);
      expect(stderr).to.contain(message);
    });
  }

  it('fails on each Node that cannot be had, all of them if none is named', () => {
    const env = { ...process.env, npm_execpath: undefined };
    const { status, stdout } = spawnSync(process.execPath, ['dist/ci/nodes/main.js'], {
      encoding: 'utf8',
      env,
    });
    expect(status).to.equal(1);
    expect(stdout.match(/^not ok {2}Node \d+/gm)).to.deep.equal(
      supportedNodes().map((major) => `not ok  Node ${major}`),
    );
  });
});
