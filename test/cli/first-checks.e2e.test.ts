/** The first checks of a program: its Node, its packages, which are not the test's, and its limit of open files. */
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

describe('The first checks of airbench', () => {
  it('print nothing on a supported Node', () => {
    const silence = { status: 0, stdout: '', stderr: '' };
    expect(check(`^${process.versions.node}`, ['semver'])).to.deep.equal(silence);
  });

  it('refuse another Node in one line, which names both versions', () => {
    expect(check('^99.1.0 || >=101.0.0', ['semver'])).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: `airbench: this is Node ${process.versions.node}; it needs Node ^99.1.0 || >=101.0.0\n`,
    });
  });

  it('name the command that installs missing packages', () => {
    expect(check('>=20', [])).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'airbench: its packages are not installed; run `npm ci` first\n',
    });
  });

  it('report a too low limit of open files in one line', function () {
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
