import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { endPrograms, Program, RIG_PORTS } from '../../simulators/testing/internal/program.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

const OPEN = ['rig', ...RIG_PORTS, '--dice', '0', '--clocks', '0'];

describe('The log format', () => {
  afterEach(endPrograms);

  it('is text for people if it is asked for, of all servers of a rig', async () => {
    const rig = Program.airbench(OPEN, { env: { AIRBENCH_LOG_FORMAT: 'text' } });
    const url = await rig.url('dice server');
    await fetch(`${url}/log`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"verbose":2}',
    });
    expect(await rig.logs(['the log level is now debug'])).to.match(
      /^\d\d:\d\d:\d\d {2}warning {2}dice server {3}the log level is now debug {2}verbose=2$/,
    );
    await rig.signal('SIGTERM');
  });

  it('is text on a terminal, after the lines with the addresses', async function () {
    const terminal = Terminal.of(this, OPEN);
    await terminal.shown(/anyone on this network/);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(0);
    const [first, ...others] = terminal.visible.split('\r\n');
    expect(first).to.match(/^page {2}http:/);
    expect(others.filter((line) => line.startsWith('{'))).to.deep.equal([]);
    expect(others.join('\n')).to.match(/^control API .*\n.*warning.*rig {11}anyone on this network/m);
  });
});
