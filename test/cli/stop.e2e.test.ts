/** airbench ends together with the programs that start it, npm and npx. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';
import { newFolder } from '../support/folders.js';
import { endPrograms, Program, RIG_PORTS } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** A folder with the scripts of the project that skips the build. */
const builtProject = (): string => {
  const folder = newFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of ['src/cli/supported-node.mjs', 'ci/bundle.mjs', 'dist/bin/README']) write(path, '');
  write('package.json', JSON.stringify({ scripts }));
  symlinkSync(AIRBENCH, join(folder, 'dist/bin/airbench.js'));
  return folder;
};

const reaches = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

describe('A rig', () => {
  after(endPrograms);

  for (const [script, args] of [
    ['start', []],
    ['airbench', ['rig']],
  ] as const)
    it(`has ended with status 0 when SIGTERM has ended \`npm run ${script}\``, async function () {
      requireUnix(this, 'signals');
      const npm = ['run', '--silent', script, '--', ...args, '--address', '127.0.0.1', ...RIG_PORTS];
      const rig = Program.of(spawn('npm', npm, { cwd: builtProject(), stdio: ['ignore', 'pipe', 'pipe'] }));
      const url = await rig.url('dice server');
      expect(await reaches(url)).to.equal(true);
      expect(await rig.signal('SIGTERM')).to.include({ status: 0 });
      expect(await reaches(url)).to.equal(false);
    });

  it('ends together with the shell in which npx has started it', async function () {
    requireUnix(this, 'signals');
    const command = `"${process.execPath}" "${AIRBENCH}" rig --address 127.0.0.1 ${RIG_PORTS.join(' ')}; exit 7`;
    const shell = spawn('sh', ['-c', command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_lifecycle_event: 'npx' },
    });
    const rig = Program.of(shell);
    const url = await rig.url('control API');
    // The rig keeps its output open after the end of the shell.
    expect(await rig.signal('SIGTERM')).to.include({ status: null });
    expect(await reaches(url)).to.equal(false);
  });

  it('counts a SIGINT of the terminal and its copy from npm as one', async function () {
    requireUnix(this, 'signals');
    const rig = Program.rig();
    await rig.url('control API');
    rig.process.kill('SIGINT');
    await setTimeout(20);
    expect(await rig.signal('SIGINT')).to.include({ status: 0 });
  });
});

describe('The scripts of package.json', () => {
  it('replace the shell by a program that may run for a long time', () => {
    const programs = Object.entries(scripts).filter(([, script]) =>
      /&& .*node dist\/\S+main\.js$/.test(script),
    );
    expect(programs.filter(([, script]) => !script.includes('&& exec node'))).to.deep.equal([]);
  });
});
