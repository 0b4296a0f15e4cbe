import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { openAutoConnect } from '../../src/devices/auto-connect.js';
import { FakeRadio } from '../support/fake-radio.js';
import { otherTurns } from '../support/hci-host.js';
import { silent } from '../support/log.js';
import { manualTime } from '../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';

describe('Connecting automatically', () => {
  it('goes on after an attempt that throws', async () => {
    const time = manualTime();
    const radio = new FakeRadio(time);
    const die = radio.add(ADDRESS);
    const autoConnect = openAutoConnect({ radio, time, random: () => 0.5, log: silent });
    let attempts = 0;
    autoConnect.add(ADDRESS, () => async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('out of order');
      return Promise.resolve(E.right('linked'));
    });
    radio.advertise(die);
    await otherTurns();
    expect(attempts).to.equal(1);
    await time.pass(2_000);
    expect(attempts).to.equal(2);
    expect(autoConnect.stop(ADDRESS), 'it is connected').to.equal(false);
  });
});
