import { on } from 'node:events';
import { chmodSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { isOnDesktop } from '../../src/cli/process/open-page.js';
import { newFolder } from '../support/folders.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

describe('airbench rig --open', () => {
  after(endPrograms);

  before(function () {
    // Other systems do not take the browser from the environment.
    if (process.platform !== 'linux') this.skip();
  });

  it('opens the page in the browser', async () => {
    const folder = newFolder();
    const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')];
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    );
    chmodSync(browser, 0o755);
    const changes = on(watch(folder, { persistent: false }), 'change');
    const rig = Program.rig(['--open'], { env: { BROWSER: browser } });
    const page = await rig.url('page');
    for await (const [, name] of changes) if (name === 'opened') break;
    expect(readFileSync(opened, 'utf8')).to.equal(page);
    expect((await rig.signal('SIGTERM')).status).to.equal(0);
  });

  it('logs that no browser could be started, and continues', async () => {
    const rig = Program.rig(['--open'], { env: { BROWSER: '/nowhere/browser', PATH: '/usr/bin:/bin' } });
    const page = await rig.url('page');
    expect(await rig.logs(['--open: no browser could be started'])).to.include(page);
    expect((await fetch(`${page}health`)).status).to.equal(200);
  });

  it('is offered only on a terminal of a desktop', () => {
    const terminal = { isTTY: true };
    expect(isOnDesktop(terminal, { DISPLAY: ':0' })).to.equal(true);
    expect(isOnDesktop(terminal, { WAYLAND_DISPLAY: 'wayland-0' })).to.equal(true);
    expect(isOnDesktop(terminal, {})).to.equal(false);
    expect(isOnDesktop(terminal, { DISPLAY: ':0', SSH_CONNECTION: '::1' })).to.equal(false);
    expect(isOnDesktop({}, { DISPLAY: ':0' })).to.equal(false);
  });
});
