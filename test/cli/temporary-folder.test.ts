import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { temporaryFolder } from '../../src/cli/process/temporary-folder.js';

describe('The temporary folder of a rig', () => {
  let parent: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'airbench-test-'));
  });

  afterEach(() => rmSync(parent, { recursive: true }));

  it('takes the place of those whose process is gone, and of no other', async () => {
    const { pid: gone } = spawnSync(process.execPath, ['--version']);
    const mine = `airbench-rig-${hostname()}-`;
    const abandoned = `${mine}${gone}-AbCd12`;
    const others = [
      `${mine}${process.ppid}-AbCd12`,
      `airbench-rig-${hostname()}x-${gone}-AbCd12`,
      `${mine}${gone}-AbCd12.bak`,
      `airbench-${gone}-AbCd12`,
    ];
    for (const name of [abandoned, ...others]) {
      mkdirSync(join(parent, name));
      writeFileSync(join(parent, name, 'tokens.json'), '{}');
    }
    const made = await temporaryFolder(parent)();
    if (E.isLeft(made)) expect.fail(made.left);
    const folder = made.right;
    expect(basename(folder)).to.match(new RegExp(`-${process.pid}-\\w{6}$`));
    expect(readdirSync(folder)).to.deep.equal([]);
    expect(readdirSync(parent)).to.have.members([...others, basename(folder)]);
  });
});
