/** Output of programs: to slow and missing readers, at each level, in each format, and about defects of the program. */
import { once } from 'node:events';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { Api } from '../../simulators/testing/index.js';
import { HttpClient } from '../../simulators/testing/internal/http-client.js';
import { endPrograms, NO_PORTS, Program, RIG_PORTS } from '../../simulators/testing/internal/program.js';
import { RawConnection } from '../../simulators/testing/internal/raw-connection.js';
import { AIRBENCH } from '../../src/system/package.js';
import { at, portOf } from '../support/client.js';
import { requireUnix } from '../support/require.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

const EMPTY = ['--dice', '0', '--clocks', '0'];
const LOGGING = [...EMPTY, '-vv'];
const ONE_DIE = ['--dice', '1', '--clocks', '0', '--pace', 'fast'];
const DIE = 'D1:CE:00:00:00:01';

/** More requests than a pipe holds, fewer than the log keeps. */
const MANY = 200;
/** More requests than the log keeps. */
const TOO_MANY = 600;

/** Sends `count` requests for a missing resource; each makes a line of 4 KB in the log. */
const sendRequests = async (url: string, count: number): Promise<void> => {
  const path = `/${'x'.repeat(4_000)}`;
  const client = await RawConnection.open(at(portOf(url)));
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count - 1));
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await client.closed;
  expect(client.statuses).to.deep.equal(Array(count).fill(404));
};

interface Line {
  readonly level: number;
  readonly name: string;
  readonly msg: string;
  readonly lost?: number;
}

const linesOf = (stderr: string): readonly Line[] =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const requestsIn = (stderr: string, name: string): number =>
  linesOf(stderr).filter((line) => line.name === name && line.msg === 'request').length;

const isSubset = (part: object, whole: object): boolean =>
  Object.entries(part).every(([key, value]) => Reflect.get(whole, key) === value);

describe('The output of the airbench program', () => {
  afterEach(endPrograms);

  for (const [name, start] of [
    ['--help', () => Program.airbench(['--help'])],
    ['doctor', () => Program.airbench(['doctor', ...NO_PORTS])],
    ['air', () => Program.air(EMPTY)],
    ['rig', () => Program.rig(EMPTY)],
  ] as const) {
    it(`lets ${name} end without an error if there is no reader`, async () => {
      const program = start();
      program.process.stdout?.destroy();
      const { status, stderr } = await program.ended;
      expect(stderr).to.equal('');
      // The status of the doctor is the result of its checks.
      if (name !== 'doctor') expect(status).to.equal(0);
    });
  }

  it('reports the number of lost log lines after a long time without a reader', async () => {
    const air = Program.air(LOGGING);
    const url = await air.url('control API');
    air.process.stderr?.pause();
    await sendRequests(url, TOO_MANY);
    air.process.stderr?.resume();
    const { status, stderr } = await air.signal('SIGTERM');
    expect(status).to.equal(0);
    const [{ lost = 0 } = {}, ...others] = linesOf(stderr).filter((line) => line.lost !== undefined);
    expect(lost).to.be.above(0);
    expect(others).to.deep.equal([]);
    expect(requestsIn(stderr, 'control API') + lost).to.equal(TOO_MANY);
  });

  for (const [name, start, server] of [
    ['air', () => Program.air(LOGGING), 'control API'],
    ['rig', () => Program.rig(LOGGING), 'dice server'],
  ] as const)
    it(`lets ${name} and its servers end on SIGTERM although nobody reads the log`, async () => {
      const program = start();
      const url = await program.url(server);
      program.process.stderr?.pause();
      await sendRequests(url, TOO_MANY);
      program.process.kill('SIGTERM');
      expect(await once(program.process, 'exit')).to.deep.equal([0, null]);
      await program.ended;
    });

  it('has the logs of all servers of a rig, even if they are read late', async () => {
    const rig = Program.rig(LOGGING);
    const url = await rig.url('dice server');
    rig.process.stderr?.pause();
    await sendRequests(url, MANY);
    await sendRequests(await rig.url('control API'), 1);
    rig.process.stderr?.resume();
    const { status, stderr } = await rig.signal('SIGTERM');
    expect(status).to.equal(0);
    expect(requestsIn(stderr, 'dice server')).to.equal(MANY);
    expect(requestsIn(stderr, 'control API')).to.equal(1);
  });

  it('is complete when the process exits immediately', async () => {
    const script =
      "import { openLog } from './dist/src/cli/output/log.js'; const log = openLog('test', 3);" +
      "for (let n = 0; n < 4000; n++) log.info({ n }, 'request'); process.exit(3);";
    const { status, stderr } = await Program.node(['--input-type=module', '-e', script]).ended;
    expect(status).to.equal(3);
    expect(requestsIn(stderr, 'test')).to.equal(4_000);
  });
});

describe('The log of a server', () => {
  afterEach(endPrograms);

  it('steps through the levels with each SIGUSR2, and is set over HTTP', async function () {
    requireUnix(this, 'SIGUSR2');
    const air = Program.air(ONE_DIE);
    const server = Program.server('dice', await air.url('virtual radio'));
    const client = new HttpClient(await server.url('dice server'));
    const level = async (): Promise<unknown> => (await client.get('/log')).json;

    expect(await level()).to.deep.equal({ verbose: 0 });
    for (const [verbose, name] of [
      [1, 'info'],
      [2, 'debug'],
      [3, 'trace'],
      [0, 'warn'],
    ] as const) {
      server.process.kill('SIGUSR2');
      const line = await server.logs([`"the log level is now ${name}"`]);
      expect(JSON.parse(line)).to.include({ verbose });
      expect(await level()).to.deep.equal({ verbose });
    }

    const before = server.log.length;
    expect(await client.put('/log', { verbose: 2 })).to.deep.include({ status: 200, json: { verbose: 2 } });
    await server.logs(['"the log level is now debug"'], before);
    expect((await client.put('/log', { verbose: 4 })).status).to.equal(400);
    expect((await client.get('/metrics')).text)
      .to.include('airbench_build_info{version=')
      .and.match(/^nodejs_eventloop_lag_p99_seconds \d/m)
      .and.match(/^airbench_radio_adapter_state\{state="poweredOn"\} 1$/m);
  });

  it('shows more with each step of --verbose', async function () {
    requireUnix(this, 'signals to end a server by');
    const air = Program.air(ONE_DIE);
    const hci = await air.url('virtual radio');
    const connectAt = async (verbosity: string): Promise<readonly Line[]> => {
      const server = Program.server('dice', hci, ['--verbose', verbosity]);
      const dice = new Api(await server.url('dice server'));
      await dice.post('/api/connect', { address: DIE });
      return linesOf((await server.signal('SIGTERM')).stderr);
    };
    for (const [verbosity, levels] of [
      // Without tokens a server warns only if others reach it.
      ['0', []],
      ['1', [30]],
      ['2', [20, 30]],
    ] as const) {
      const shown = new Set((await connectAt(verbosity)).map(({ level }) => level));
      expect([...shown].sort()).to.deep.equal(levels);
    }
    const lines = await connectAt('3');
    expect(new Set(lines.map(({ level }) => level))).to.deep.equal(new Set([10, 20, 30]));
    const traced = lines.filter(({ level }) => level === 10);
    expect(new Set(traced.map(({ msg }) => msg))).to.deep.equal(new Set(['HCI', 'operation', 'radio']));
    for (const entry of [
      { msg: 'HCI', direction: 'sent', packet: 'command reset', bytes: '01030c00' },
      { msg: 'radio', operation: 'connect', address: DIE, result: 'ok' },
      { msg: 'operation', operation: 'connect', result: 'ok' },
    ])
      expect(traced).to.satisfy(() => traced.some((line) => isSubset(entry, line)), JSON.stringify(entry));
  });

  it('is text for people with AIRBENCH_LOG_FORMAT, for all servers of a rig', async () => {
    const rig = Program.rig(EMPTY, { env: { AIRBENCH_LOG_FORMAT: 'text' } });
    await new HttpClient(await rig.url('dice server')).put('/log', { verbose: 2 });
    expect(await rig.logs(['the log level is now debug'])).to.match(
      /^\d\d:\d\d:\d\d {2}warning {2}dice server {3}the log level is now debug {2}verbose=2$/,
    );
  });

  it('is text on a terminal, after the lines with the addresses', async function () {
    const terminal = Terminal.of(this, ['rig', ...RIG_PORTS, ...EMPTY]);
    await terminal.shown(/anyone on this network/);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(0);
    const [first, ...others] = terminal.visible.split('\r\n');
    expect(first).to.match(/^page {2}http:/);
    expect(others.filter((line) => line.startsWith('{'))).to.deep.equal([]);
    expect(others.join('\n')).to.match(/^control API .*\n.*warning.*rig {11}anyone on this network/m);
  });

  it('names the radio of a server on a terminal, after the line with its addresses', async function () {
    const air = Program.air(ONE_DIE);
    const hci = await air.url('virtual radio');
    const terminal = Terminal.of(this, ['dice', '--address', '127.0.0.1', '--port', '0', '--hci', hci]);
    await terminal.shown(/^radio /m);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(0);
    const [first, second] = terminal.visible.split('\r\n');
    expect([first?.replace(/ .*/, ''), second]).to.deep.equal(['dice', `radio  ${hci}`]);
  });

  it('has no lines for a person among its JSON, on a terminal too', async function () {
    const air = Program.air(ONE_DIE);
    const hci = await air.url('virtual radio');
    const json = ['--log-format', 'json', '--hci', hci];
    const terminal = Terminal.of(this, ['dice', '--address', '127.0.0.1', '--port', '0', ...json]);
    await terminal.shown(/^dice server /m);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(0);
    expect(terminal.visible).not.to.match(/^radio /m);
  });

  it('has each defect of the program with its place, while the server continues and ends in order', async function () {
    requireUnix(this, 'SIGWINCH');
    /** A module as a URL of Node: two signals make the program run into a defect. */
    const defects = `data:text/javascript,
      process.on('SIGWINCH', () => void Promise.reject(new Error('nobody waits for it')));
      process.on('SIGPIPE', () => { throw new Error('nothing catches it'); });`;
    const air = Program.air(ONE_DIE);
    const place = ['--address', '127.0.0.1', '--port', '0', '--hci', await air.url('virtual radio')];
    const server = Program.node(['--import', defects, AIRBENCH, 'dice', ...place]);
    const url = await server.url('dice server');
    for (const [signal, message] of [
      ['SIGWINCH', 'nobody waits for it'],
      ['SIGPIPE', 'nothing catches it'],
    ] as const) {
      server.process.kill(signal);
      const line = JSON.parse(await server.logs([message])) as { readonly err: { readonly stack: string } };
      expect(line).to.deep.include({ level: 50, name: 'dice server', msg: 'a defect of the program' });
      expect(line.err.stack).to.match(/data:text\/javascript/);
      expect((await fetch(`${url}/health`)).status).to.equal(200);
    }
    expect((await server.signal('SIGTERM')).status).to.equal(0);
  });
});
