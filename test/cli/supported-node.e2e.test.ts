/** The check before anything else, beside a package.json and a node_modules of the test. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { newFolder } from '../support/folders.js';

const CHECK = 'src/cli/supported-node.mjs';

const check = (engines: string, packages: readonly string[]) => {
  const folder = newFolder();
  mkdirSync(join(folder, 'node_modules'));
  cpSync(CHECK, join(folder, CHECK));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ engines: { node: engines } }));
  for (const name of packages)
    cpSync(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, CHECK)], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe('Before it does anything, airbench', () => {
  it('says nothing on a Node that it supports', () => {
    const silence = { status: 0, stdout: '', stderr: '' };
    expect(check(`^${process.versions.node}`, ['semver'])).to.deep.equal(silence);
  });

  it('refuses another Node in one line, which names both', () => {
    expect(check('^99.1.0 || >=101.0.0', ['semver'])).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: `airbench: this is Node ${process.versions.node}; it needs Node ^99.1.0 || >=101.0.0\n`,
    });
  });

  it('names the command that installs its packages where they are missing', () => {
    expect(check('>=20', [])).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'airbench: its packages are not installed; run `npm ci` first\n',
    });
  });
});
