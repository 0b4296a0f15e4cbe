import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { supportedNodes } from '../ci/nodes/supported.js';

const run = (args: readonly string[], env = process.env) =>
  spawnSync(process.execPath, ['dist/ci/nodes/main.js', ...args], { encoding: 'utf8', env });

describe('npm run nodes', () => {
  it('takes the major versions from engines', () => {
    expect(supportedNodes('^20.19.0 || ^22.13.0 || >=26.0.0')).to.deep.equal([20, 22, 26]);
  });

  for (const args of [['19'], ['22', 'newest'], ['22.13.0']]) {
    it(`refuses ${args.join(' ')} with a clear message`, () => {
      const { status, stderr, stdout } = run(args);
      const message = `'${args.at(-1) ?? ''}' is invalid for argument 'majors'. Allowed choices are ${supportedNodes().join(', ')}.`;
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr.trim().split('\n')).to.have.lengthOf(1);
      expect(stderr).to.contain(message);
    });
  }

  it('fails on each Node.js that cannot be installed, by default on all', () => {
    const { status, stdout } = run([], { ...process.env, npm_execpath: undefined });
    expect(status).to.equal(1);
    expect(stdout.match(/^not ok {2}Node \d+/gm)).to.deep.equal(
      supportedNodes().map((major) => `not ok  Node ${major}`),
    );
  });
});
