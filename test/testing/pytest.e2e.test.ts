import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { AIRBENCH, version } from '../../src/system/package.js';
import { newFolder } from '../support/folders.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { requirePython, requireUnix } from '../support/require.js';

const PLUGIN = 'simulators/testing/pytest';

describe('The project file of the plugin of pytest', () => {
  it('has the version of the package', () => {
    expect(readFileSync(`${PLUGIN}/pyproject.toml`, 'utf8')).to.contain(`version = "${version}"`);
  });
});

describe('The plugin of pytest', () => {
  const site = newFolder();
  let python: string;

  before(function () {
    requireUnix(this, 'signals that kill a program alone');
    python = requirePython(this, 'pytest', 'setuptools', 'wheel', 'pip');
    const copy = newFolder();
    cpSync(PLUGIN, copy, { recursive: true });
    const offline = ['--no-build-isolation', '--no-deps', '--no-index'];
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...offline, '--target', site, copy], {
      env: { ...process.env, PIP_ROOT_USER_ACTION: 'ignore' },
    });
  });

  after(endPrograms);

  const pytest = (...args: readonly string[]): Program => {
    const options = ['-p', 'no:cacheprovider', '-o', `airbench='${process.execPath}' '${AIRBENCH}'`];
    const env = { ...process.env, PYTHONPATH: site, PYTHONDONTWRITEBYTECODE: '1' };
    return Program.of(
      spawn(python, ['-m', 'pytest', ...options, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env }),
    );
  };

  const testOf = (lines: readonly string[]): string => {
    const path = join(site, 'test_own.py');
    writeFileSync(path, ['def test(airbench):', ...lines].join('\n    '));
    return path;
  };

  it('starts a world for a test', async () => {
    const { status, stdout } = await pytest('docs/examples/testing/test_light.py').ended;
    expect(stdout).to.contain('1 passed');
    expect(status).to.equal(0);
  });

  it('reports why a world does not start', async () => {
    const { status, stdout } = await pytest(testOf(['airbench(dice=-2)'])).ended;
    expect(stdout).to.match(/AirbenchError: airbench rig ended with status 2: .*--dice <number>.*must be/);
    expect(status).to.equal(1);
  });

  it('leaves no world behind when pytest is killed', async () => {
    const path = testOf([
      'print("\\ncontrol ", airbench().control.url, flush=True)',
      'import signal',
      'signal.pause()',
    ]);
    const killed = pytest('--capture=no', path);
    const { port, hostname } = new URL(await killed.url('control'));
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    await killed.signal('SIGKILL');
    await once(socket.resume(), 'close');
  });
});
