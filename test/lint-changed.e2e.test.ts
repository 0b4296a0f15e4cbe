import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { newFolder } from './support/folders.js';
import { requireProgram } from './support/require.js';

describe('npm run lint:changed', () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
    write('eslint.config.js', "module.exports = [{ rules: { 'no-var': 'error' } }];");
    write('.gitignore', 'node_modules');
    write('committed.js', 'var a;');
  });

  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

  const git = (...args: readonly string[]): void => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    execFileSync('git', [...author, ...args], { cwd: folder });
  };

  const lint = () => {
    const { status, stdout } = spawnSync(process.execPath, [resolve('ci/lint-changed.mjs')], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, files: Array.from(stdout.matchAll(/(\w+)\.js$/gm), ([, name]) => name) };
  };

  it('lints new files, and files that differ from the main branch', function () {
    requireProgram(this, 'git');
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-q', '-m', 'a');
    expect(lint()).to.deep.equal({ status: 0, files: [] });
    git('checkout', '-q', '-b', 'other');
    write('changed.js', 'var b;');
    git('add', '.');
    git('commit', '-q', '-m', 'b');
    write('untracked.js', 'var c;');
    expect(lint()).to.deep.equal({ status: 1, files: ['changed', 'untracked'] });
  });

  it('lints nothing outside a repository', () => {
    expect(lint()).to.deep.equal({ status: 0, files: [] });
  });
});
