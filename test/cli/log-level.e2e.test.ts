import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { Api } from '../../simulators/testing/index.js';
import { HttpClient } from '../../simulators/testing/internal/http-client.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';

const isSubset = (part: object, whole: object): boolean =>
  Object.entries(part).every(([key, value]) => Reflect.get(whole, key) === value);

describe('the log level of a server', () => {
  afterEach(endPrograms);

  it('steps with each SIGUSR2, and is set over HTTP', async function () {
    requireUnix(this, 'SIGUSR2');
    const air = Program.air(['--dice', '1', '--clocks', '0']);
    const server = Program.server('dice', await air.url('virtual radio'));
    const url = await server.url('dice server');
    const client = new HttpClient(url);
    const level = async (): Promise<unknown> => (await client.get('/log')).json;
    const logged = async (verbose: number, name: string): Promise<void> => {
      const line = await server.logs([`"the log level is now ${name}"`]);
      expect(JSON.parse(line)).to.include({ verbose });
    };

    expect(await level()).to.deep.equal({ verbose: 0 });
    for (const [verbose, name] of [
      [1, 'info'],
      [2, 'debug'],
      [3, 'trace'],
      [0, 'warn'],
    ] as const) {
      server.process.kill('SIGUSR2');
      await logged(verbose, name);
      expect(await level()).to.deep.equal({ verbose });
    }

    const before = server.log.length;
    const set = await client.put('/log', { verbose: 2 });
    expect([set.status, set.json]).to.deep.equal([200, { verbose: 2 }]);
    await server.logs(['"the log level is now debug"'], before);
    expect((await client.put('/log', { verbose: 4 })).status).to.equal(400);
    const { text } = await client.get('/metrics');
    expect(text).to.include('airbench_build_info{version=');
    expect(text).to.match(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(text).to.match(/^airbench_radio_adapter_state\{state="poweredOn"\} 1$/m);
    await Promise.all([server.signal('SIGTERM'), air.signal('SIGTERM')]);
  });

  it('shows more with each step of --verbose', async function () {
    requireUnix(this, 'signals to end a server by');
    const air = Program.air(['--dice', '1', '--clocks', '0', '--pace', 'fast']);
    const hci = await air.url('virtual radio');
    const shown: unknown[] = [];
    for (const verbosity of ['0', '1', '2', '3']) {
      const server = Program.server('dice', hci, ['--verbose', verbosity]);
      const dice = new Api(await server.url('dice server'));
      await dice.post('/api/connect', { address: 'D1:CE:00:00:00:01' });
      const { stderr } = await server.signal('SIGTERM');
      const lines = stderr
        .trim()
        .split('\n')
        .filter((line) => line !== '');
      const entries = lines.map(
        (line) => JSON.parse(line) as { readonly level: number; readonly msg: string },
      );
      shown.push([...new Set(entries.map(({ level }) => level))].sort());
      if (verbosity !== '3') continue;
      const traced = entries.filter(({ level }) => level === 10);
      expect([...new Set(traced.map(({ msg }) => msg))].sort()).to.deep.equal(['HCI', 'operation', 'radio']);
      for (const entry of [
        { msg: 'HCI', direction: 'sent', packet: 'command reset', bytes: '01030c00' },
        { msg: 'radio', operation: 'connect', address: 'D1:CE:00:00:00:01', result: 'ok' },
        { msg: 'operation', operation: 'connect', result: 'ok' },
      ])
        expect(
          traced.some((one) => isSubset(entry, one)),
          JSON.stringify(entry),
        ).to.equal(true);
    }
    // Without tokens a server warns only if others reach it.
    expect(shown).to.deep.equal([[], [30], [20, 30], [10, 20, 30]]);
    await air.signal('SIGTERM');
  });
});
