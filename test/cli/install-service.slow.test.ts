import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { clockCommand } from '../../src/cli/servers/clock.js';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { unit } from '../../src/cli/service/systemd-unit.js';
import { parseConfigured } from '../support/flags.js';
import { newFolder } from '../support/folders.js';
import { NotifySocket } from '../support/notify-socket.js';
import { endPrograms, Program, type Ended } from '../../simulators/testing/internal/program.js';
import { requireLinux, requireProgram, requireRoot } from '../support/require.js';

const run = promisify(execFile);

/** The highest allowed exposure of a unit by systemd-analyze: its scale from 0 to 10, times ten. */
const MOST_EXPOSED = 25;

describe('airbench install-service', () => {
  let folder: string;
  beforeEach(function () {
    requireLinux(this, 'systemd');
    folder = newFolder();
  });
  afterEach(endPrograms);

  const config = (): string => join(folder, 'airbench', 'server.yml');
  const unitPath = (server: string): string => join(folder, `airbench-${server}.service`);
  const read = (path: string): string => readFileSync(path, 'utf8');
  const install = (server: string, ...more: readonly string[]): Promise<Ended> =>
    Program.airbench(['install-service', server, '--dir', folder, '--config', config(), ...more]).ended;

  for (const [server, command, port] of [
    ['dice', diceCommand, 3000],
    ['clock', clockCommand, 3001],
  ] as const) {
    it(`writes a unit of the ${server} server that systemd accepts, and prints the next steps`, async function () {
      requireProgram(this, 'systemd-analyze');
      const { status, stdout } = await install(server);
      expect(status).to.equal(0);
      expect(stdout.split('\n').slice(0, 3)).to.deep.equal([
        `wrote ${config()}: every flag is there, as a comment`,
        ...[`wrote ${unitPath(server)}`, 'next:'],
      ]);
      expect(stdout).to.contain('systemctl daemon-reload').and.to.contain(`enable --now airbench-${server}`);
      const verified = await run('systemd-analyze', ['verify', unitPath(server)]);
      expect(verified).to.deep.equal({ stdout: '', stderr: '' });
      const threshold = `--threshold=${MOST_EXPOSED}`;
      const { stdout: security } = await run('systemd-analyze', [
        ...['security', '--no-pager', '--offline=true', threshold, unitPath(server)],
      ]);
      expect(security).to.contain('Overall exposure level');
    });

    it(`writes a sample with every flag of the ${server} server, and with a different port`, async () => {
      await install(server);
      expect(await parseConfigured(command(), ['--config', config()])).to.deep.include({ port });
      const named = [...read(config()).matchAll(/^(?:# )?([a-z-]+): ./gm)].map(
        ([, name]) => `--${name ?? ''}`,
      );
      const flags = command().options.map(({ long }) => long);
      expect(named).to.include.members(flags.filter((flag) => flag !== '--config'));
    });
  }

  it('names the radio of the flags in a new configuration, and the rights of this radio in the unit', async () => {
    const { stdout } = await install('dice', '--bluez', 'hci1', '--proxy', 'auto');
    expect(stdout.split('\n')[0]).to.equal(
      `wrote ${config()} (bluez: hci1 and proxy: auto): every other flag is there, as a comment`,
    );
    expect(await parseConfigured(diceCommand(), ['--config', config()])).to.deep.include({
      ...{ bluez: { adapter: 'hci1' }, proxy: ['auto'] },
    });
    expect(read(unitPath('dice'))).to.contain('\nAmbientCapabilities=\n');
    expect((await install('dice', '--bluez', 'hci1')).status).to.equal(0);
    expect(await install('dice', '--hci', 'user:hci0')).to.include({
      status: 1,
      stderr: `${config()} is there already, and is left alone: write into it hci: user:hci0\n`,
    });
  });

  it('says that an existing configuration names no radio, and sets its rights once it does', async () => {
    mkdirSync(join(folder, 'airbench'));
    writeFileSync(config(), 'version: 1\n');
    expect((await install('dice')).stderr).to.contain(`warning: ${config()} names no radio: `);
    expect(read(config())).to.equal('version: 1\n');
    expect(read(unitPath('dice'))).to.contain('\nAmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW\n');
    writeFileSync(config(), 'version: 1\nbluez: hci0\n');
    const { stdout, stderr } = await install('dice');
    expect(stdout).to.contain(`replaced ${unitPath('dice')}`);
    expect(stderr).not.to.contain('names no radio');
    expect(read(unitPath('dice'))).to.contain('\nAmbientCapabilities=\n');
  });

  it('makes a service that starts, notifies systemd that it is ready, and remembers in its folder', async function () {
    const systemd = await NotifySocket.open(this);
    await install('dice');
    const air = Program.air(['--dice', '0', '--clocks', '0']);
    const sample = read(config());
    const edited = sample.replace('# hci: <spec>', `hci: ${await air.url('virtual radio')}`);
    writeFileSync(config(), edited.replace('port: 3000', 'port: 0'));
    const [, ...args] = /^ExecStart=(.*)$/m.exec(read(unitPath('dice')))?.[1]?.split(' ') ?? [];
    // The StateDirectory of the unit.
    const state = join(folder, 'state');
    const dice = Program.node(args, { env: { NOTIFY_SOCKET: systemd.path, STATE_DIRECTORY: state } });
    expect(await systemd.next()).to.match(/^READY=1\n/);
    expect((await dice.signal('SIGTERM')).status).to.equal(0);
    expect(readdirSync(state)).to.deep.equal(['dice.sqlite']);
    systemd.close();
  });

  it('only prints the unit with --print, writes it without, and changes nothing the second time', async () => {
    const printed = await install('dice', '--print');
    expect(printed.status).to.equal(0);
    expect(readdirSync(folder)).to.deep.equal([]);
    await install('dice');
    expect(`${printed.stdout}\n`).to.equal(read(unitPath('dice')));
    const before = [config(), unitPath('dice')].map(read);
    const { status, stdout } = await install('dice');
    expect(status).to.equal(0);
    for (const path of [config(), unitPath('dice')]) expect(stdout).to.contain(`${path} is there already`);
    expect([config(), unitPath('dice')].map(read)).to.deep.equal(before);
  });

  it('replaces an unchanged unit, but a changed one only with --force', async () => {
    await install('dice');
    expect((await install('dice', '--user', 'pi')).stdout).to.contain(`replaced ${unitPath('dice')}`);
    expect(read(unitPath('dice')))
      .to.contain('\nUser=pi\n')
      .and.to.not.contain('DynamicUser');
    writeFileSync(unitPath('dice'), read(unitPath('dice')).replace('RestartSec=5', 'RestartSec=1'));
    expect(await install('dice')).to.deep.equal({
      ...{ status: 1, stdout: '' },
      stderr: `${unitPath('dice')} was changed since it was written, and is left alone: --force replaces it\n`,
    });
    expect((await install('dice', '--force')).status).to.equal(0);
    expect(read(unitPath('dice'))).to.contain('RestartSec=5');
  });

  it('refuses a path that would add lines to the unit', async () => {
    expect(await install('dice', '--print', '--config', '/x\nUser=root')).to.deep.equal({
      ...{ status: 2, stdout: '' },
      stderr: 'error: /x\\u000aUser=root has control characters: no unit of systemd can name it\n',
    });
  });

  it('replaces a link only with --force, and never the file behind the link', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'kept');
    symlinkSync(target, unitPath('dice'));
    expect((await install('dice')).stderr).to.contain('is left alone: --force replaces it');
    expect((await install('dice', '--force')).status).to.equal(0);
    expect(read(target)).to.equal('kept');
    expect(lstatSync(unitPath('dice')).isFile()).to.equal(true);
  });

  for (const [folderKind, prepare] of [
    ['that is open to all', (path: string) => chmodSync(path, 0o777)],
    ['of another user', (path: string) => chownSync(path, 65534, 65534)],
    [
      'that a link of another user leads to',
      (path: string) => {
        mkdirSync(`${path}.own`);
        rmdirSync(path);
        symlinkSync(`${path}.own`, path);
        lchownSync(path, 65534, 65534);
      },
    ],
  ] as const) {
    it(`writes nothing into a folder ${folderKind}`, async function () {
      if (folderKind !== 'that is open to all') requireRoot(this);
      const open = join(folder, 'open');
      mkdirSync(open);
      prepare(open);
      const refusal = `another user can change ${open}: nothing is written there, name a folder of your own\n`;
      for (const flags of [
        ['--dir', open],
        ['--config', join(open, 'dice.yml')],
      ]) {
        expect(await install('dice', ...flags)).to.include({ status: 1, stderr: refusal });
        expect(readdirSync(open)).to.deep.equal([]);
      }
    });
  }

  it('keeps an existing configuration, and names its mistakes', async () => {
    await install('dice');
    writeFileSync(config(), 'version: 1\nport: 4000\n');
    expect((await install('dice')).status).to.equal(0);
    expect(read(config())).to.equal('version: 1\nport: 4000\n');
    writeFileSync(config(), 'version: 1\nprot: 4000\n');
    expect(await install('dice')).to.include({
      ...{ status: 2, stderr: `error: ${config()}, line 2: dice has no flag prot; the nearest is port\n` },
    });
  });
});

describe('The unit of a service', () => {
  const NO_RADIO = { hci: { kind: 'default' }, bluez: undefined, proxy: [] } as const;
  const unitOf = (...program: readonly string[]): string =>
    unit({
      ...{ server: 'dice', program, config: '/etc/d.yml', user: undefined },
      ...{ radio: NO_RADIO, hasGroup: false },
    });

  it('can name paths with any characters', async function () {
    requireLinux(this, 'systemd');
    requireProgram(this, 'systemd-analyze');
    const path = join(newFolder(), 'odd.service');
    const text = unitOf('/usr/bin/env', '/a b/100%/$HOME/"x"\\.js');
    expect(text).to.contain(
      'ExecStart=/usr/bin/env "/a b/100%%/$$HOME/\\"x\\"\\\\.js" dice --config /etc/d.yml\n',
    );
    writeFileSync(path, text);
    expect(await run('systemd-analyze', ['verify', path])).to.deep.equal({ stdout: '', stderr: '' });
  });

  for (const [radio, rights, bluetoothd] of [
    [{}, 'CAP_NET_ADMIN CAP_NET_RAW', false],
    [{ hci: { kind: 'user', device: 0 } }, 'CAP_NET_ADMIN CAP_NET_RAW', false],
    [{ hci: { kind: 'native', device: 0 }, bluez: {} }, 'CAP_NET_ADMIN CAP_NET_RAW', true],
    [{ bluez: { adapter: 'hci0' } }, '', true],
    [{ proxy: ['auto'] }, '', false],
    [{ hci: { kind: 'unix', path: '/run/hci' } }, '', false],
  ] as const) {
    it(`gives a server on ${JSON.stringify(radio)} its rights`, () => {
      const text = unit({
        ...{ server: 'dice', program: ['/usr/bin/node'], config: '/etc/d.yml', user: undefined },
        ...{ radio: { ...NO_RADIO, ...radio }, hasGroup: true },
      });
      expect(text).to.contain(`\nAmbientCapabilities=${rights}\n`);
      expect(text).to.contain('\nSupplementaryGroups=bluetooth\n');
      expect(text.includes('\nWants=network-online.target bluetooth.service\n')).to.equal(bluetoothd);
    });
  }

  it('gives the server a folder of its own', () => {
    expect(unitOf('/usr/bin/node', '/opt/main.js')).to.contain('\nStateDirectory=airbench-dice\n');
  });

  it('can read homes only if the program is in one', () => {
    expect(unitOf('/usr/bin/node', '/opt/main.js')).to.contain('\nProtectHome=yes\n');
    expect(unitOf('/home/pi/.nvm/node', '/opt/main.js')).to.contain('\nProtectHome=read-only\n');
  });
});
