import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { newFolder } from './support/folders.js';

describe('clean-dist', () => {
  it('removes the output of moved and deleted sources, and keeps bundles', () => {
    const folder = newFolder();
    const present = (path: string): boolean => existsSync(join(folder, path));
    const kept = ['dist/test/here.test.js', 'dist/bin/chunk-a1.js', 'dist/src/page/built/assets/page-a1.js'];
    const outdated = ['dist/test/moved.test.js', 'dist/test/moved.test.js.map', 'dist/src/gone.d.ts'];
    for (const path of ['test/here.test.ts', ...kept, ...outdated]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    execFileSync(process.execPath, [resolve('ci/clean-dist.mjs')], { cwd: folder });
    expect([kept.filter(present), outdated.filter(present)]).to.deep.equal([kept, []]);
  });
});
