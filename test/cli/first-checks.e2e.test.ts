/** What a program looks at first: its Node and its packages, beside those of the test, and how many files it may open. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';

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

  it('says in one line that it may open too few files', function () {
    requireUnix(this, 'ulimit');
    const stderrWith = (files: number): string => {
      const limited = ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, AIRBENCH];
      return spawnSync('sh', [...limited, 'proxy', '--help'], { encoding: 'utf8', timeout: 20_000 }).stderr;
    };
    let [files, stderr] = [50, ''];
    while (stderr === '' && files > 10) stderr = stderrWith((files -= 2));
    expect(stderr).to.equal(
      'airbench: the limit of open files is too low: raise it, such as by `ulimit -n 1024`\n',
    );
  });
});
