import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { newFolder } from './support/folders.js';
import { NO_PORTS, Program, RIG_PORTS, endPrograms } from '../simulators/testing/internal/program.js';
import { requireLinux, requireUnix } from './support/require.js';

const run = promisify(execFile);

const ROOT = process.cwd();

const WINDOWS = process.platform === 'win32';

/** On Windows npm is a script for the shell. */
const npm = (args: readonly string[], cwd = ROOT): Promise<unknown> =>
  WINDOWS
    ? run(`npm.cmd ${args.map((arg) => `"${arg}"`).join(' ')}`, { cwd, shell: true })
    : run('npm', args, { cwd });

/** A third-party project without our sources, for the example of the documentation. */
const CONSUMER = {
  'package.json': { private: true, type: 'module' },
  'tsconfig.json': {
    compilerOptions: {
      ...{ target: 'ES2023', module: 'NodeNext', moduleResolution: 'NodeNext', strict: true },
      ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    },
    include: ['strap'],
  },
};

/** The exports of each module when imported from `folder`, or the reason of a failure. */
const imported = async (folder: string, names: readonly string[]): Promise<Record<string, string>> => {
  const script = `
    const outcome = (name) => import(name).then((found) => Object.keys(found).sort().join(' '), ({ code, message }) => code ?? message);
    const names = ${JSON.stringify(names)};
    const outcomes = await Promise.all(names.map(outcome));
    console.log(JSON.stringify(Object.fromEntries(names.map((name, at) => [name, outcomes[at]]))));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder });
  return JSON.parse(stdout) as Record<string, string>;
};

const NATIVE = '@stoprocent/bluetooth-hci-socket';

/** The doctor's line on an adapter of one's own, which needs the native module, and its advice. */
const nativeCheck = async (
  folder: string,
): Promise<{ readonly what: string; readonly fix: string | null }> => {
  const main = join(folder, 'node_modules/airbench/dist/bin/airbench.js');
  const doctor = run(process.execPath, [main, 'doctor', '--json', ...NO_PORTS], { cwd: folder });
  const { stdout } = await doctor.catch((error: unknown) => error as { readonly stdout: string });
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly check: string; readonly what: string; readonly fix: string }[];
  };
  return checks.find(({ check }) => check === 'exclusive') ?? expect.fail(stdout);
};

describe('The packed airbench', () => {
  let folder: string;
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'airbench-pack-'));
    await npm(['pack', '--silent', '--pack-destination', folder]);
    const [tarball = ''] = await readdir(folder);
    for (const [name, content] of Object.entries(CONSUMER)) {
      await writeFile(join(folder, name), JSON.stringify(content));
    }
    // The monitor is a program on noble.
    const packages = [join(folder, tarball), '@abandonware/noble'];
    await npm(['install', '--ignore-scripts', ...quietly, ...packages], folder);
  });

  after(async () => {
    await endPrograms();
    await rm(folder, { recursive: true });
  });

  it('installs into an empty folder without a compiler, and runs its rig from there', async function () {
    requireUnix(this, 'signals to end a rig by');
    const args = ['rig', '--pace', 'fast', ...RIG_PORTS];
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
    const viewer = await fetch(`${await rig.url('control API')}/docs/swagger-ui-bundle.js`);
    expect(viewer.status).to.equal(200);
    const { status } = await rig.signal('SIGINT');
    expect(status).to.equal(0);
  });

  it('compiles nothing without optional packages, and names the missing packages', async function () {
    requireLinux(this, 'native module');
    const lean = newFolder();
    const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    await npm(['install', ...quietly, '--omit=optional', '--prefix', lean, join(folder, tarball)], lean);
    const { dependencies, optionalDependencies } = JSON.parse(
      await readFile(join(lean, 'node_modules/airbench/package.json'), 'utf8'),
    ) as Record<string, object>;
    const installed = await readdir(join(lean, 'node_modules'));
    expect(installed).to.include.members(Object.keys(dependencies ?? {}).map((name) => name.split('/')[0]));
    const left = ['@abandonware', 'swagger-ui-dist', 'node-gyp', ...Object.keys(optionalDependencies ?? {})];
    expect(installed.filter((name) => left.includes(name))).to.deep.equal([]);
    expect(await nativeCheck(lean)).to.have.property('fix', `\`npm install ${NATIVE}\``);
    const main = join(lean, 'node_modules/airbench/dist/bin/airbench.js');
    const rig = Program.node([main, 'rig', ...RIG_PORTS, '--open']);
    await rig.logs(['npm install open']);
    await rig.signal('SIGTERM');
    const { stderr } = await Program.node([main, 'dice', '--mqtt', 'mqtt://localhost']).ended;
    expect(stderr).to.contain('npm install mqtt');
    const mdns = ['--mdns', '--port', '0', '--hci', 'tcp:127.0.0.1:1'];
    expect((await Program.node([main, 'dice', ...mdns]).ended).stderr).to.contain(
      'npm install bonjour-service',
    );
    expect((await Program.node([main, '--help']).ended).status).to.equal(0);
  });

  it('loads the native module without a compiler, and names the command that compiles a missing one', async function () {
    requireLinux(this, 'native module');
    const { what } = await nativeCheck(folder);
    expect(what).to.match(/^--hci user:hciN(?!.*compiled)/);
    await rm(join(folder, 'node_modules', NATIVE, 'prebuilds'), { recursive: true });
    expect(await nativeCheck(folder)).to.deep.include({
      what: `--hci user:hciN: ${NATIVE}, which adapters need, is not compiled for linux ${process.arch}`,
      fix: `\`npm rebuild --ignore-scripts=false ${NATIVE}\` (it needs Python and a C++ compiler)`,
    });
  });

  it('runs the features beside Cucumber, and names the command that installs it', async () => {
    const main = join(folder, 'node_modules/airbench/dist/bin/airbench.js');
    const features = (...args: readonly string[]) =>
      Program.of(
        spawn(process.execPath, [main, 'features', ...args], {
          cwd: folder,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      ).ended;
    const alone = await features();
    expect(alone.stderr).to.contain('npm install --save-dev @cucumber/cucumber');
    expect(alone.status).to.equal(2);
    await npm(['install', '--ignore-scripts', ...quietly, '@cucumber/cucumber'], folder);
    const { status, stderr } = await features(
      ...['--parallel', '1', '--format', 'json:results.json'],
      ...['features/dice/scan.feature', 'features/fleet'],
    );
    expect(await readdir(folder)).to.include.members(['reports', 'results.json']);
    expect(stderr).to.contain('needs an MQTT broker').and.contain('partly verified');
    expect(status).to.equal(0);
  });

  it('exports its parts alone', async () => {
    const refused = 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    const expected = {
      airbench: refused,
      'airbench/central': 'NobleRadio openRadio',
      'airbench/control':
        'Bench World actionFailed builtInKinds codecs decode decodeChaos decodeSpecs deviceKind deviceMessage listenError listenMessage parseError schedule serveBenchControl serveControl',
      // The module is for --import, and names the missing variable.
      'airbench/hci':
        'AIRBENCH_HCI: hci must be default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH, got ""',
      'airbench/peripheral':
        'AdType MAX_ADVERTISING_DATA completeName completeUuids createPeripheral encodeAdvertisingData generalDiscoverable uuidBytes',
      'airbench/radio': 'Air H4Server Trace VirtualSocket seededRng',
      'airbench/testing': 'Api Control guest world',
      'airbench/dist/src/http/index.js': refused,
      'airbench/dist/src/cli/main.js': refused,
    };
    expect(await imported(folder, Object.keys(expected))).to.deep.equal(expected);
  });

  it('is enough for a third-party device, with types', async () => {
    const strap = join(folder, 'strap');
    const isCopied = (source: string): boolean => !source.endsWith('.test.ts');
    await cp(join(ROOT, 'docs/examples/heart-rate-strap'), strap, { recursive: true, filter: isCopied });
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc], { cwd: folder }).catch((error: unknown) =>
      expect.fail((error as { readonly stdout: string }).stdout),
    );
    await writeFile(
      join(strap, 'look.js'),
      `import { startWorld } from './world.js';
       const { controlPort, close } = await startWorld();
       console.log(await (await fetch('http://127.0.0.1:' + controlPort + '/devices')).text());
       await close();`,
    );
    const { stdout } = await run(process.execPath, [join(strap, 'look.js')]);
    expect(JSON.parse(stdout)).to.deep.equal([
      { address: 'C0:DE:00:00:00:01', kind: 'strap', name: 'Strap', connected: false, advertising: true },
    ]);
  });
});
