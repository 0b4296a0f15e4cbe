import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { groups } from '../ci/mutants/groups.js';

const page = readFileSync('docs/mutants.md', 'utf8');

describe('docs/mutants.md', () => {
  it('lists every group with its least share', () => {
    const rows = page.matchAll(/^\| `([a-z-]+)` +\| (\d+) % +\| ([\d.]+) % +\|$/gm);
    const documented = Array.from(rows, ([, name, least]) => [name, Number(least)]);
    expect(documented).to.deep.equal(Object.entries(groups).map(([name, { least }]) => [name, least]));
  });

  it('names survivors in mutated files alone', () => {
    const mutated = Object.values(groups).flatMap(({ mutate }) => mutate);
    const named = Array.from(page.matchAll(/`((?:src|simulators)\/[^`]+\.ts)`/g), ([, path = '']) => path);
    expect(named).to.include('src/devices/retry.ts');
    const strange = named.filter(
      (path) => !existsSync(path) || !mutated.some((place) => path === place || path.startsWith(`${place}/`)),
    );
    expect(strange).to.deep.equal([]);
  });
});

describe('npm run mutants', () => {
  it('has existing files in every group', () => {
    const paths = Object.values(groups).flatMap(({ mutate, tests }) => [...mutate, ...tests]);
    expect(paths.filter((path) => !existsSync(path))).to.deep.equal([]);
  });

  it('refuses an unknown group with a clear message', () => {
    const { status, stderr } = spawnSync(process.execPath, ['dist/ci/mutants/main.js', 'moon'], {
      encoding: 'utf8',
    });
    expect(status).to.equal(2);
    expect(stderr)
      .to.match(/'moon' is invalid .* Allowed choices are /)
      .and.contain(Object.keys(groups).join(', '));
  });
});
