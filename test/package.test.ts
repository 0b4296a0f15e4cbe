import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { Program, endPrograms } from './support/program.js';

const run = promisify(execFile);

describe('The packed airbench', function () {
  this.timeout(120_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'airbench-pack-'));
  });

  after(async () => {
    endPrograms();
    await rm(folder, { recursive: true });
  });

  it('installs into an empty folder without a compiler, and its rig runs from there', async () => {
    await run('npm', ['pack', '--silent', '--pack-destination', folder]);
    const [tarball = ''] = await readdir(folder);
    await run(
      'npm',
      ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', join(folder, tarball)],
      {
        cwd: folder,
      },
    );
    const args = [
      'rig',
      '--pace',
      'fast',
      '--dice-port',
      '0',
      '--clock-port',
      '0',
      '--control-port',
      '0',
      '--hci-port',
      '0',
    ];
    const rig = Program.of(
      spawn(join(folder, 'node_modules/.bin/airbench'), args, {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    const scan = await fetch(`${await rig.url('dice server')}/api/scan?duration_secs=0.3`, {
      method: 'POST',
    });
    expect(await scan.json()).to.have.lengthOf(3);
    const { status } = await rig.signal('SIGINT');
    expect(status).to.equal(0);
  });
});
