import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { portOf, request } from '../support/client.js';
import { newFolder } from '../support/folders.js';
import { requireLinux } from '../support/require.js';
import { openWorld } from '../support/world.js';

describe('A server whose disk does not answer', () => {
  afterEach(endPrograms);

  it('serves on, and ends itself although a system call holds a thread', async function () {
    requireLinux(this, 'mkfifo');
    const folder = newFolder();
    const [fifo, held] = [join(folder, 'fifo'), join(folder, 'held.mjs')];
    execFileSync('mkfifo', [fifo]);
    // Opening a FIFO that nobody writes to waits in the kernel, like a file on a disk that hangs.
    writeFileSync(
      held,
      `import fs from 'node:fs';
       import { syncBuiltinESMExports } from 'node:module';
       const { lstatSync } = fs;
       fs.lstatSync = (path, ...more) =>
         String(path).endsWith('dice.sqlite') ? fs.openSync(${JSON.stringify(fifo)}, 'r') : lstatSync(path, ...more);
       syncBuiltinESMExports();`,
    );
    const world = await openWorld([]);
    const server = Program.server('dice', `tcp:127.0.0.1:${world.port}`, ['--data-dir', folder], {
      env: { NODE_OPTIONS: `--import ${held}` },
    });
    const port = portOf(await server.url('dice server'));
    const health = await request(port, '/health');
    expect(health.body).to.have.nested.property('store.state', 'opening');
    expect((await request(port, '/api/dice')).body).to.deep.equal([]);
    const { status, stderr } = await server.signal('SIGTERM');
    expect(status).to.equal(null);
    expect(stderr).to.contain('the disk does not answer: the file stays open');
    await world.close();
  });
});
