import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';

/** Node's name of a module whose two signals have the program run into a defect. */
const DEFECTS = `data:text/javascript,
  process.on('SIGWINCH', () => void Promise.reject(new Error('nobody waits for it')));
  process.on('SIGPIPE', () => { throw new Error('nothing catches it'); });`;

const LIMITS = ['--address', '127.0.0.1', '--port', '0', '--log-format', 'json'];

describe('a server that runs into a defect', () => {
  afterEach(endPrograms);

  it('logs each with its place, serves on, and ends in order', async function () {
    requireUnix(this, 'SIGWINCH');
    const air = Program.air(['--dice', '1', '--clocks', '0']);
    const args = ['--import', DEFECTS, AIRBENCH, 'dice', ...LIMITS];
    const server = Program.node([...args, '--hci', await air.url('virtual radio')]);
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
    await air.signal('SIGTERM');
  });
});
