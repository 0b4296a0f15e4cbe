import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';
import { Api, Control } from '../../simulators/testing/index.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { Listener } from '../../simulators/testing/internal/listener.js';
import { environment, Program, RIG_PORTS, endPrograms } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';

const NO_DEVICES = ['--dice', '0', '--clocks', '0'];

describe('The airbench program', () => {
  let folder: string;
  beforeEach(function () {
    folder = newFolder();
    requireUnix(this, 'signals to end a program by, nor Unix paths');
  });
  afterEach(endPrograms);

  it('reports that a socket is in use', async () => {
    const path = join(folder, 'hci.sock');
    const other = createServer().listen(path);
    await once(other, 'listening');
    const { status, stderr } = await Program.air(['--hci-socket', path]).ended;
    other.close();
    expect(status).to.equal(1);
    expect(stderr).to.equal(
      `the virtual radio cannot listen on ${path}: it is in use: stop what uses it or choose another path\n`,
    );
  });

  it('starts a plan of chaos with the world, and prints the seed', async () => {
    const air = Program.air(['--chaos', 'ci/chaos.json']);
    const control = new Control(await air.url('control API'));
    expect(await control.get('/chaos')).to.include({ seed: 7, running: true });
    const { status, stdout } = await air.signal('SIGINT');
    expect(status).to.equal(0);
    expect(stdout).to.match(/^chaos {2}seed 7 {2}300 s {2}\d+ faults$/m);
  });

  it('starts a rig without devices, and prints all addresses', async () => {
    const rig = Program.rig(NO_DEVICES);
    const control = new Control(await rig.url('control API'));
    expect(await control.devices()).to.deep.equal([]);
    for (const server of ['dice server', 'clock server']) {
      expect(await new Api(await rig.url(server)).get('/ready')).to.include({ status: 'ready' });
    }
    expect(await rig.url('virtual radio')).to.match(/^tcp:127\.0\.0\.1:\d+$/);
    expect(await rig.signal('SIGINT')).to.include({ status: 0, stderr: '' });
  });

  it('ends in order with connected devices and clients, and deletes the token of a clock', async () => {
    const rig = Program.rig(['--pace', 'fast'], { env: { TMPDIR: folder } });
    const dice = new Api(await rig.url('dice server'));
    await dice.post('/api/scan?duration_secs=0.2');
    await dice.post('/api/connect', { address: 'D1:CE:00:00:00:01' });
    const listener = await Listener.open(dice.socket('/ws'));
    const client = await ClockClient.open(`${await rig.url('clock server')}/ws`);
    expect(await client.send({ type: 'connect', address: '58:2d:34:00:00:01' })).to.deep.equal({
      id: 1,
      result: { address: '58:2D:34:00:00:01', connected: true, paired: true },
      error: null,
    });
    expect(readdirSync(folder)).to.have.length(1);
    expect(await rig.signal('SIGINT')).to.include({ status: 0, stderr: '' });
    expect([await listener.closed, await client.closed]).to.deep.equal([1001, 1001]);
    expect(listener.texts).to.deep.equal(['{"kind":"Disconnected"}']);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('ends without an error if its parent process has disconnected before the start', async () => {
    const flags = ['dice', '--port', '0', '--hci', 'tcp:127.0.0.1:1'];
    const child = fork(AIRBENCH, flags, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: environment(),
    });
    const messages: unknown[] = [];
    child.stderr?.on('data', (chunk) => messages.push(String(chunk)));
    child.disconnect();
    // A child without a channel never emits `close`.
    const [status] = (await once(child, 'exit')) as [number | null];
    expect({ status, messages }).to.deep.equal({ status: 0, messages: [] });
  });

  it('ends immediately at a second signal, without leaving files behind', async () => {
    const rig = Program.rig([], { env: { TMPDIR: folder } });
    await rig.url('control API');
    expect(readdirSync(folder)).to.have.length(1);
    rig.process.kill('SIGINT');
    expect(await rig.signal('SIGTERM')).to.include({ status: 130, stderr: '' });
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('names the controller that does not answer yet within the first second', async () => {
    const dice = Program.server('dice', 'tcp:127.0.0.1:1');
    const line = JSON.parse(await dice.logs(['does not answer yet'])) as { readonly msg: string };
    expect(line.msg).to.equal('tcp:127.0.0.1:1 does not answer yet (connection refused): waiting up to 10 s');
    dice.process.kill('SIGKILL');
  });

  it('passes the limits of a rig to the servers that have them', async () => {
    const limits = ['--answer-timeout', '3', '--idle-disconnect-secs', '60', '--scan-secs', '1'];
    const rig = Program.rig(['--data-dir', folder, ...limits]);
    await rig.url('control API');
    expect((await rig.signal('SIGTERM')).status).to.equal(0);
  });

  it('logs when its adapter is off, and with -v when it is on again', async () => {
    const air = Program.air(['--dice', '0']);
    const control = new Control(await air.url('control API'));
    const hci = await air.url('virtual radio');
    const dice = Program.server('dice', hci, ['-v']);
    const api = new Api(await dice.url('dice server'));
    const untilAdapter = async (state: string): Promise<void> => {
      while (((await api.get('/health')) as { adapter: string }).adapter !== state);
    };
    for (const powered of [false, true]) {
      await control.post('/adapters/hci0', { powered });
      await untilAdapter(powered ? 'poweredOn' : 'poweredOff');
    }
    const { stderr } = await dice.signal('SIGTERM');
    const lines = stderr
      .split('\n')
      .filter((line) => line.includes('the Bluetooth adapter is'))
      .map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [40, 'the Bluetooth adapter is poweredOff'],
      [30, 'the Bluetooth adapter is poweredOn'],
    ]);
    expect((await air.signal('SIGTERM')).status).to.equal(0);
  });

  describe('with a port in use', () => {
    let other: Server;
    before(async () => {
      other = createServer().listen(0, '0.0.0.0');
      await once(other, 'listening');
    });
    after(() => other.close());

    it('names all ports of a rig in use, their flags, and the rig that uses them', async () => {
      const first = Program.rig(NO_DEVICES);
      const control = await first.url('control API');
      const ports = [
        ['--dice-port', await first.url('dice server')],
        ['--control-port', control],
        ['--hci-port', (await first.url('virtual radio')).replace('tcp:', 'http://')],
      ].map(([flag = '', url = '']) => [flag, new URL(url).port] as const);
      const { status, stderr } = await Program.rig(ports.flat()).ended;
      expect(status).to.equal(1);
      const [dice, api, hci] = ports.map(([, port]) => port);
      expect(stderr).to.equal(
        `ports ${dice}, ${api} and ${hci} are in use by another airbench (dice server and control API): ` +
          'end it, or choose free ones with --dice-port 0 --control-port 0 --hci-port 0\n',
      );
      await first.signal('SIGTERM');
    });

    for (const flag of RIG_PORTS.filter((_, n) => n % 2 === 0)) {
      it(`names the port and its flag ${flag}, and ends with status 1`, async () => {
        const { port } = other.address() as AddressInfo;
        const { status, stderr } = await Program.rig([flag, String(port)]).ended;
        expect(status).to.equal(1);
        expect(stderr).to.equal(
          `port ${port} is in use by another program: end it, or choose another with ${flag} (0 takes a free one)\n`,
        );
      });
    }
  });
});
