import { expect } from 'chai';
import { describe, it } from 'mocha';
import { guest, world } from '../../simulators/testing/index.js';
import { requireGuest, requireLinux } from '../support/require.js';

describe('A guest for a test', () => {
  it('runs commands one after the other on the radio of a world', async function () {
    requireLinux(this, 'guest');
    requireGuest(this, []);
    const simulated = await world({ dice: 1 });
    const linux = await guest({ hci: simulated.hci });
    try {
      const scan = await linux.run(['bluetoothctl', '--timeout', '5', 'scan', 'on']);
      expect(scan).to.have.property('status', 0);
      expect(scan.stdout).to.contain('D1:CE:00:00:00:01');
      const result = await linux.run(['sh', '-c', 'cat; echo warned >&2; exit 7'], 'a line\n');
      expect(result).to.deep.equal({ status: 7, stdout: 'a line\n', stderr: 'warned\n' });
    } finally {
      await linux.close();
      await simulated.close();
    }
  });

  it('rejects with a message if it cannot start', async function () {
    requireLinux(this, 'guest');
    const error = await guest({ flags: { guest: '/nowhere' } }).catch((reason: unknown) => reason);
    expect(error).to.have.property(
      'message',
      'airbench linux ended with status 125: --guest: there is no /nowhere\n',
    );
  });
});
