import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { temporaryFolder } from '../../src/cli/process/temporary-folder.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';

describe('The temporary folder of a rig', () => {
  it('replaces only the folders of ended processes', async () => {
    const parent = newFolder();
    const { pid: endedPid } = spawnSync(process.execPath, ['--version']);
    const mine = `airbench-rig-${hostname()}-`;
    const abandoned = `${mine}${endedPid}-AbCd12`;
    const otherNames = [
      `${mine}${process.ppid}-AbCd12`,
      `airbench-rig-${hostname()}x-${endedPid}-AbCd12`,
      `${mine}${endedPid}-AbCd12.bak`,
      `airbench-${endedPid}-AbCd12`,
    ];
    for (const name of [abandoned, ...otherNames]) {
      mkdirSync(join(parent, name));
      writeFileSync(join(parent, name, 'tokens.json'), '{}');
    }
    const folder = right(await temporaryFolder(parent)());
    expect(basename(folder)).to.match(new RegExp(`-${process.pid}-\\w{6}$`));
    expect(readdirSync(folder)).to.deep.equal([]);
    expect(readdirSync(parent)).to.have.members([...otherNames, basename(folder)]);
  });
});
