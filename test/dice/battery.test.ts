import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { batteryQuestion } from '../../src/dice/battery.js';
import { FakeLink } from '../support/fake-device.js';
import { FakeRadio } from '../support/fake-radio.js';
import { settle } from '../support/hci-host.js';
import { manualClock } from '../support/manual-clock.js';

const ADDRESS = 'D1:CE:00:00:00:01';

describe('the battery question', () => {
  it('takes no level for its answer before its turn to be written has come, and one after', async () => {
    let begin = (): void => undefined;
    const question = batteryQuestion(
      new FakeLink(new FakeRadio().add(ADDRESS), ADDRESS),
      (begun) => () => {
        begin = begun;
        return Promise.resolve(E.right(undefined));
      },
      manualClock(),
      1000,
    );
    const answer = question.ask();
    await settle();
    expect(question.take(7)).to.equal(false);
    begin();
    expect(question.take(8)).to.equal(true);
    expect(await answer).to.deep.equal(E.right(8));
    expect(question.take(9)).to.equal(false);
  });

  it('takes no level after it could not be asked', async () => {
    const question = batteryQuestion(
      new FakeLink(new FakeRadio().add(ADDRESS), ADDRESS),
      (begun) => () => {
        begun();
        throw new Error('a defect');
      },
      manualClock(),
      1000,
    );
    const failure = await question.ask().catch((defect: unknown) => defect);
    expect(failure).to.be.an('error').with.property('message', 'a defect');
    expect(question.take(7)).to.equal(false);
  });
});
