import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import { openAutoConnect } from '../../src/devices/auto-connect.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import { FakeRadio } from '../support/fake-radio.js';
import { otherTurns } from '../support/hci-host.js';
import { silent } from '../support/log.js';
import { manualTime } from '../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';

describe('Connecting automatically', () => {
  it('can be stopped after it was stopped and begun again at once', async () => {
    const time = manualTime();
    const radio = new FakeRadio(time);
    const automatic = openAutoConnect({ radio, time, random: () => 0.5, log: silent });
    let attempts = 0;
    const connect = (): TE.TaskEither<DeviceError, never> => () => {
      attempts += 1;
      return Promise.resolve(E.left({ _tag: 'NotFound', address: ADDRESS }));
    };
    automatic.add(ADDRESS, connect);
    automatic.stop(ADDRESS);
    automatic.again(ADDRESS);
    await otherTurns();
    expect(automatic.stop(ADDRESS)).to.equal(true);
    await time.pass(60_000);
    expect([attempts, time.pending, radio.listeners.size]).to.deep.equal([0, 0, 0]);
  });
});
