import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { world, type World, type WorldOptions } from '../../simulators/testing/index.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requirePackages } from '../support/require.js';

/** Both runners give a test 5 s by default, which is too short on a busy machine. */
const PATIENT = '--testTimeout=600000';
const EXAMPLES = 'dist/docs/examples/testing';
const RUNNERS = 'test/testing/runners';
const TSC = 'node_modules/typescript/bin/tsc';

const PIXELS = 'F1:CE:00:00:00:01';
const DIE = 'D1:CE:00:00:00:01';

const failure = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return (error as Error).message;
  }
  return 'it did not fail';
};

describe('A world for a test', () => {
  describe('with a die, a clock and a described Pixels die', () => {
    let lab: World;
    before(async () => {
      const devices = [{ kind: 'pixels', address: PIXELS, die: 'd12' }];
      lab = await world({ dice: 1, clocks: 1, devices });
    });
    after(() => lab.close());
    beforeEach(() => lab.control.reset());

    it('has these devices, and both servers', async () => {
      const devices = await lab.control.devices();
      expect(devices.map(({ kind }) => kind)).to.have.members(['dice', 'clock', 'pixels']);
      expect(await lab.dice.get('/ready')).to.deep.equal({ status: 'ready' });
      expect(await lab.clock.get('/ready')).to.deep.equal({ status: 'ready' });
      expect(lab.hci).to.match(/^tcp:127\.0\.0\.1:\d+$/);
      expect(lab.dice.socket('/ws')).to.match(/^ws:\/\/127\.0\.0\.1:\d+\/ws$/);
    });

    it('changes devices until a reset', async () => {
      expect(await lab.control.act(PIXELS, { type: 'battery', level: 7 })).to.include({ battery_level: 7 });
      await lab.control.place(DIE, { rssi: -90 });
      expect(await lab.control.device(DIE)).to.include({ rssi: -90 });
      expect(await lab.control.add({ kind: 'clock' })).to.include({ kind: 'clock' });
      expect(await lab.control.fault({ type: 'silence', device: DIE })).to.be.a('string');
      await lab.control.reset();
      expect(await lab.control.device(PIXELS)).to.include({ battery_level: 100 });
      expect(await lab.control.device(DIE)).to.include({ rssi: -60 });
      expect(await lab.control.devices()).to.have.length(3);
      expect(await lab.control.get('/faults')).to.deep.equal([]);
    });

    it('rejects with the message of a server that refuses', async () => {
      expect(await failure(lab.control.act(DIE, { type: 'fly' }))).to.match(
        /^POST \/devices\/D1:CE:00:00:00:01\/actions was answered with 400: .*type must be one of/,
      );
    });
  });

  it('follows its options, and ends all of its programs when it closes', async () => {
    const lines: string[] = [];
    const trace = join(newFolder(), 'air.btsnoop');
    const lab = await world({ trace, flags: { verbose: 2 }, onLog: (line) => lines.push(line) });
    await lab.dice.get('/api/sessions');
    await lab.close();
    expect(lines.join('\n')).to.include('/api/sessions');
    expect(existsSync(trace) && statSync(trace).size).to.be.above(16);
    expect(await failure(lab.dice.get('/ready'))).to.equal(
      `GET ${lab.dice.url}/ready was not answered: connection refused`,
    );
  });

  const wrong: readonly (readonly [WorldOptions, RegExp])[] = [
    [{ dice: -2 }, /--dice <number>.*must be/],
    [{ devices: [{ kind: 'toaster' }] }, /kind must be one of/],
    [{ flags: { colour: 'red' } }, /unknown option '--colour'/],
  ];
  for (const [options, message] of wrong) {
    it(`does not start with ${JSON.stringify(options)}, and reports why`, async () => {
      expect(await failure(world(options)))
        .to.match(/^airbench rig ended with status 2: /)
        .and.match(message);
    });
  }

  describe('in the examples', () => {
    const passes = async (args: readonly string[], passed: RegExp): Promise<void> => {
      const { status, stdout, stderr } = await Program.node(args, { env: { NO_COLOR: '1' } }).ended;
      expect(`${stdout}${stderr}`).to.match(passed);
      expect(status).to.equal(0);
    };

    it('ends together with a test of node:test', () =>
      passes(['--test', '--test-reporter=tap', `${EXAMPLES}/node-test.js`], /^# pass 1$/m));

    it('ends together with a test of Vitest', async function () {
      const vitest = join(requirePackages(this, RUNNERS), 'vitest/vitest.mjs');
      const flags = ['--no-cache', '--root', 'docs/examples/testing', PATIENT];
      await passes([vitest, 'run', ...flags, 'vitest'], /Tests +1 passed/);
    });

    it('ends together with a test of Jest', async function () {
      const jest = join(requirePackages(this, RUNNERS), 'jest/bin/jest.js');
      const { status, stdout } = await Program.node([TSC, '-p', 'test/testing']).ended;
      expect(status, stdout).to.equal(0);
      const flags = ['--rootDir', EXAMPLES, '--transform={}', PATIENT];
      await passes(['--experimental-vm-modules', jest, ...flags, 'jest.spec'], /^Tests: +1 passed/m);
    });
  });
});
