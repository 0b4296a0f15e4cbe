import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Program } from '../support/program.js';

const BENCH = ['--adapter', 'hci77', '--device', 'dice'];

describe('airbench air --adapter', function () {
  this.timeout(20_000);

  for (const [args, reason] of [
    [['--adapter', 'hci1'], '--adapter <hciN>'],
    [['--device', 'dice'], "option '--device <kind>' needs --adapter"],
    [['--adapter', 'tcp:localhost:6402', '--device', 'dice'], 'it must be default or hciN'],
    [['--adapter', 'hci1', '--device', 'cube'], 'it must be dice or clock'],
    [[...BENCH, '--dice', '3'], "option '--dice <number>' is one of the virtual radio"],
    [[...BENCH, '--devices', 'package.json'], '--devices <file>'],
    [[...BENCH, '--pace', 'fast'], "option '--pace <pace>' is one of the virtual radio"],
    [[...BENCH, '--hci-port', '0'], "option '--hci-port <number>' is one of the virtual radio"],
  ] as const) {
    it(`${args.join(' ')} ends with status 2 and one sentence`, async () => {
      const { status, stderr } = await Program.start(['air', ...args]).ended;
      expect(status).to.equal(2);
      expect(stderr.trim().split('\n')).to.have.lengthOf(1);
      expect(stderr).to.contain(reason);
    });
  }

  it('without the native module or such an adapter says what is missing and what to run, and ends with status 1', async () => {
    const { status, stdout, stderr } = await Program.start(['air', ...BENCH, '--control-port', '0']).ended;
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
    expect(stderr.trim().split('\n')).to.have.lengthOf(1);
    expect(stderr).to.match(/npm run native|no Bluetooth adapter can be opened as hci77/);
  });
});
