import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { batteryRequest } from '../../src/dice/battery.js';
import { FakeLink } from '../support/fake-device.js';
import { FakeRadio } from '../support/fake-radio.js';
import { otherTurns } from '../support/hci-host.js';
import { manualClock } from '../support/manual-clock.js';

const ADDRESS = 'D1:CE:00:00:00:01';

describe('the battery request', () => {
  it('takes no level for its response before it is written, and one after', async () => {
    let begin = (): void => undefined;
    const battery = batteryRequest(
      new FakeLink(new FakeRadio().add(ADDRESS), ADDRESS),
      (begun) => () => {
        begin = begun;
        return Promise.resolve(E.right(undefined));
      },
      manualClock(),
      1000,
    );
    const answer = battery.level();
    await otherTurns();
    expect(battery.take(7)).to.equal(false);
    begin();
    expect(battery.take(8)).to.equal(true);
    expect(await answer).to.deep.equal(E.right(8));
    expect(battery.take(9)).to.equal(false);
  });

  it('takes no level after it could not be written', async () => {
    const battery = batteryRequest(
      new FakeLink(new FakeRadio().add(ADDRESS), ADDRESS),
      (begun) => () => {
        begun();
        throw new Error('a defect');
      },
      manualClock(),
      1000,
    );
    const failure = await battery.level().catch((defect: unknown) => defect);
    expect(failure).to.be.an('error').with.property('message', 'a defect');
    expect(battery.take(7)).to.equal(false);
  });
});
