import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { imageProgram } from '../support/containerfile.js';
import { newFolder } from '../support/folders.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { requireGuest } from '../support/require.js';

describe('The files of the image', () => {
  it('run airbench linux in another folder', async function () {
    requireGuest(this, []);
    const args = [imageProgram(), 'linux', '--', 'sh', '-c', 'bluetoothctl list; pwd'];
    const cwd = newFolder();
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const { status, stdout, stderr } = await Program.of(child).ended;
    expect(status, stderr).to.equal(0);
    expect(stdout)
      .to.match(/^Controller /m)
      .and.contain(cwd);
  });
});
