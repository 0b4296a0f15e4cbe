import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { Program, endPrograms } from '../support/program.js';
import { requireUnix } from '../support/require.js';

describe('the log level of a server', () => {
  afterEach(endPrograms);

  it('steps with each SIGUSR2, and is set over HTTP', async function () {
    requireUnix(this, 'SIGUSR2');
    const air = Program.air(['--dice', '1', '--clocks', '0']);
    const server = Program.server('dice', await air.url('virtual radio'));
    const url = await server.url('dice server');
    const { stderr } = server.process;
    if (stderr === null) throw new Error('the server has no stderr');
    const lines = createInterface({ input: stderr });
    const level = async (): Promise<unknown> => (await fetch(`${url}/log`)).json();
    const said: unknown[] = [];
    let more = (): void => undefined;
    lines.on('line', (line) => {
      const { verbose, msg } = JSON.parse(line) as { readonly verbose?: number; readonly msg: string };
      if (verbose === undefined) return;
      said.push([verbose, msg]);
      more();
    });
    const next = async (): Promise<unknown> => {
      while (said.length === 0) await new Promise<void>((resolve) => (more = resolve));
      return said.shift();
    };

    expect(await level()).to.deep.equal({ verbose: 0 });
    for (const [verbose, name] of [
      [1, 'info'],
      [2, 'debug'],
      [3, 'trace'],
      [0, 'warn'],
    ] as const) {
      server.process.kill('SIGUSR2');
      expect(await next()).to.deep.equal([verbose, `the log level is now ${name}`]);
      expect(await level()).to.deep.equal({ verbose });
    }

    const set = await fetch(`${url}/log`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"verbose":2}',
    });
    expect([set.status, await set.json()]).to.deep.equal([200, { verbose: 2 }]);
    expect(await next()).to.deep.equal([2, 'the log level is now debug']);
    const wrong = await fetch(`${url}/log`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"verbose":4}',
    });
    expect(wrong.status).to.equal(400);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).to.include('airbench_build_info{version=');
    expect(text).to.match(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(text).to.match(/^airbench_radio_adapter_state\{state="poweredOn"\} 1$/m);
    await Promise.all([server.signal('SIGTERM'), air.signal('SIGTERM')]);
  });
});
