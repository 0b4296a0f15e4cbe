import { once } from 'node:events';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { at } from '../support/client.js';
import { RawConnection } from '../../simulators/testing/internal/raw-connection.js';
import { endPrograms, NO_PORTS, Program } from '../../simulators/testing/internal/program.js';

const EMPTY = ['--dice', '0', '--clocks', '0'];
const LOGGING = [...EMPTY, '-vv'];

/** Sends `count` requests for what does not exist, which makes a line of 4 KB in the log each. */
const ask = async (url: string, count: number): Promise<void> => {
  const path = `/${'x'.repeat(4_000)}`;
  const client = await RawConnection.open(at(Number(new URL(url).port)));
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count - 1));
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await client.closed;
  expect(client.statuses).to.deep.equal(Array(count).fill(404));
};

/** More than a pipe holds, less than the log keeps. */
const MANY = 200;
/** More than the log keeps. */
const TOO_MANY = 600;

interface Line {
  readonly name: string;
  readonly msg: string;
  readonly lost?: number;
}

const linesOf = (stderr: string): readonly Line[] =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const requestsIn = (stderr: string, name: string): number =>
  linesOf(stderr).filter((line) => line.name === name && line.msg === 'request').length;

describe('The output of the airbench program', () => {
  afterEach(endPrograms);

  for (const [what, start] of [
    ['--help', () => Program.airbench(['--help'])],
    ['doctor', () => Program.airbench(['doctor', ...NO_PORTS])],
    ['air', () => Program.air(EMPTY)],
    ['rig', () => Program.rig(EMPTY)],
  ] as const) {
    it(`of ${what} may have no reader: it ends without an error`, async () => {
      const program = start();
      program.process.stdout?.destroy();
      const { status, stderr } = await program.ended;
      expect(stderr).to.equal('');
      // The doctor says by its status what it found.
      if (what !== 'doctor') expect(status).to.equal(0);
    });
  }

  it('may have a log without a reader for long: it says how many lines are lost', async () => {
    const air = Program.air(LOGGING);
    const url = await air.url('control API');
    air.process.stderr?.pause();
    await ask(url, TOO_MANY);
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
    it(`of ${name} may be a log that is never read: it ends on SIGTERM, with its servers`, async () => {
      const program = start();
      const url = await program.url(server);
      program.process.stderr?.pause();
      await ask(url, TOO_MANY);
      program.process.kill('SIGTERM');
      expect(await once(program.process, 'exit')).to.deep.equal([0, null]);
      await program.ended;
    });

  it('has the logs of all servers of a rig, also when they are read late', async () => {
    const rig = Program.rig(LOGGING);
    const url = await rig.url('dice server');
    rig.process.stderr?.pause();
    await ask(url, MANY);
    await ask(await rig.url('control API'), 1);
    rig.process.stderr?.resume();
    const { status, stderr } = await rig.signal('SIGTERM');
    expect(status).to.equal(0);
    expect(requestsIn(stderr, 'dice server')).to.equal(MANY);
    expect(requestsIn(stderr, 'control API')).to.equal(1);
  });

  it('is written to the last line when the process exits immediately', async () => {
    const script =
      "import { openLog } from './dist/src/cli/output/log.js'; const log = openLog('test', 3);" +
      "for (let n = 0; n < 4000; n++) log.info({ n }, 'request'); process.exit(3);";
    const { status, stderr } = await Program.node(['--input-type=module', '-e', script]).ended;
    expect(status).to.equal(3);
    expect(requestsIn(stderr, 'test')).to.equal(4_000);
  });
});
