import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { newFolder } from './support/folders.js';

describe('Flaky tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
  });

  /** Writes a file with `body` and with a test for each title, which fails in its first run. */
  const fixture = (titles: readonly string[], body = ''): string => {
    const file = join(folder, 'fixture.cjs');
    const tests = titles.map((title) => `it('${title}', () => failOnce('${title}'));`);
    writeFileSync(
      file,
      `const { existsSync, writeFileSync } = require('node:fs');
       const failOnce = (title) => {
         const mark = require('node:path').join(${JSON.stringify(folder)}, title);
         if (existsSync(mark)) return;
         writeFileSync(mark, '');
         throw new Error('the first time');
       };
       describe('(a) fixture', () => { it('always passes', () => {}); ${body} ${tests.join('\n')} });`,
    );
    return file;
  };

  const run = (script: string, args: readonly string[], cwd = '.') =>
    spawnSync(process.execPath, [resolve(script), ...args], {
      cwd,
      encoding: 'utf8',
      env: {
        ...{ ...process.env, AIRBENCH_REPORTS: folder, AIRBENCH_PROGRAM_NOTES: undefined },
        ...{ NO_COLOR: '1', FORCE_COLOR: undefined, MOCHA_COLORS: undefined },
      },
    });

  const recorded = (): readonly unknown[] => {
    const path = join(folder, 'flaky.json');
    if (!existsSync(path)) return [];
    const tests = JSON.parse(readFileSync(path, 'utf8')) as readonly { readonly fullTitle: string }[];
    return tests.map(({ fullTitle }) => fullTitle);
  };

  it('run again with the other tests of their file, and are named if they pass', () => {
    const { status, stdout } = run('ci/once-more.mjs', [fixture(['is flaky'])]);
    expect(status).to.equal(0);
    expect(stdout.trimEnd().split('\n').at(-1)).to.match(/^FLAKY .*fixture\.cjs: \(a\) fixture is flaky$/);
    expect(stdout.match(/always passes/g)).to.have.length(2);
    expect(recorded()).to.deep.equal(['(a) fixture is flaky']);
  });

  it('run again if a hook of their file failed', () => {
    const { status, stdout } = run('ci/once-more.mjs', [fixture([], "before(() => failOnce('hook'));")]);
    expect(status).to.equal(0);
    expect(stdout)
      .to.match(/^FLAKY .*"before all" hook/m)
      .and.contain('✔ always passes');
  });

  it('fail the run if there are two', () => {
    const { status, stdout } = run('ci/once-more.mjs', [fixture(['is flaky', 'is flaky, too'])]);
    expect(status).to.equal(1);
    expect(stdout.match(/^FLAKY /gm)).to.have.length(2);
    expect(recorded()).to.have.length(2);
  });

  it('fail the run if they fail twice', () => {
    const failing = fixture([], "it('always fails', () => { throw new Error('always'); });");
    const { status, stdout } = run('ci/once-more.mjs', [failing]);
    expect(status).to.equal(1);
    expect(stdout).to.not.contain('FLAKY');
    expect(recorded()).to.deep.equal([]);
  });

  for (const [count, expected] of [
    [1, 0],
    [2, 1],
  ] as const)
    it(`are named by the last lines of a run, which ends with status ${expected} if there are ${count}`, () => {
      const flaky = Array(count).fill({ source: 'test/a.test.ts', fullTitle: 'a b' });
      writeFileSync(
        join(folder, 'record.cjs'),
        `require('node:fs').writeFileSync('flaky.json', '${JSON.stringify(flaky)}')`,
      );
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { record: 'node record.cjs' } }));
      const { status, stdout } = run('ci/stages.mjs', ['record'], folder);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.slice(-count)).to.deep.equal(Array(count).fill('FLAKY test/a.test.ts: a b'));
      expect(status).to.equal(expected);
    });

  it('are counted by test over several runs', () => {
    const { status, stdout } = run('ci/flaky.mjs', ['--times', '2', fixture(['is flaky'])]);
    expect(status).to.equal(1);
    expect(stdout).to.match(/^2 passed, 0 failed {2}.*fixture\.cjs: \(a\) fixture always passes$/m);
    expect(stdout).to.match(/^1 passed, 1 failed {2}.*fixture\.cjs: \(a\) fixture is flaky$/m);
    expect(stdout).to.contain('the first time').and.contain('1 of 2 runs failed');
  });
});
