import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Program } from '../../simulators/testing/internal/program.js';

const BENCH = ['--adapter', 'hci77', '--device', 'dice'];

describe('airbench air --adapter', () => {
  it('without the native module or such an adapter says what is missing and what to run, and ends with status 1', async () => {
    const { status, stdout, stderr } = await Program.airbench(['air', ...BENCH, '--control-port', '0']).ended;
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
    expect(stderr.trim().split('\n')).to.have.lengthOf(1);
    expect(stderr).to.match(/npm run native|no Bluetooth adapter can be opened as hci77/);
  });
});
