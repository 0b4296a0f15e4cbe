import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { batteryRequest } from '../../../../src/dice/drivers/godice/battery.js';
import { FakeLink } from '../../../support/fake-device.js';
import { FakeRadio } from '../../../support/fake-radio.js';
import { otherTurns } from '../../../support/hci-host.js';
import { manualTime } from '../../../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';

/** A request; `write` calls its argument when the request is written. */
const openRequest = (write: (begun: () => void) => void = () => undefined) => {
  const time = manualTime();
  const link = new FakeLink(new FakeRadio().add(ADDRESS), ADDRESS);
  const written = (begun: () => void) => () => {
    write(begun);
    return Promise.resolve(E.right(undefined));
  };
  return { time, link, battery: batteryRequest(link, written, time, 1000) };
};

/** A request that is written when `begin` is called. */
const withBegin = () => {
  let begin = (): void => undefined;
  const { battery } = openRequest((begun) => (begin = begun));
  return { battery, begin: () => begin() };
};

describe('the battery request', () => {
  it('accepts no level as its response before it is written, and one level afterwards', async () => {
    const { battery, begin } = withBegin();
    const answer = battery.level();
    await otherTurns();
    expect(battery.take(7)).to.equal(false);
    begin();
    expect(battery.take(8)).to.equal(true);
    expect(await answer).to.deep.equal(E.right(8));
    expect(battery.take(9)).to.equal(false);
  });

  it('accepts no level if it could not be written', async () => {
    const { battery } = openRequest((begun) => {
      begun();
      throw new Error('a defect');
    });
    const failure = await battery.level().catch((defect: unknown) => defect);
    expect(failure).to.be.an('error').with.property('message', 'a defect');
    expect(battery.take(7)).to.equal(false);
  });

  it('ends the link if it is not answered in time', async () => {
    const { time, link, battery } = openRequest();
    const answer = battery.level();
    await otherTurns();
    time.advance(1000);
    expect(await answer).to.deep.equal(
      E.left({ _tag: 'NoAnswer', address: ADDRESS, request: 'the battery request', ms: 1000 }),
    );
    expect(link.ended).to.deep.equal({
      ...{ _tag: 'Timeout', address: ADDRESS, operation: 'the battery answer', ms: 1000 },
    });
  });

  it('fails with the reason if the link ends', async () => {
    const { link, battery } = openRequest();
    const answer = battery.level();
    await otherTurns();
    link.end({ _tag: 'LinkLost', address: ADDRESS, reason: 8 });
    expect(await answer).to.deep.equal(E.left({ _tag: 'LinkLost', address: ADDRESS, reason: 8 }));
  });

  it('accepts no level before its second write', async () => {
    const { battery, begin } = withBegin();
    const first = battery.level();
    await otherTurns();
    begin();
    battery.take(8);
    await first;
    const second = battery.level();
    await otherTurns();
    expect(battery.take(9)).to.equal(false);
    begin();
    expect(battery.take(9)).to.equal(true);
    expect(await second).to.deep.equal(E.right(9));
  });

  it('of the server itself makes no event of the last level, and leaves any other level as it is', async () => {
    const { battery, begin } = withBegin();
    const ask = async (): Promise<void> => {
      await battery.ask();
      begin();
    };
    expect(battery.take(7)).to.equal(false);
    await ask();
    expect([battery.take(7), battery.take(7)]).to.deep.equal([true, false]);
    await ask();
    expect(battery.take(8)).to.equal(false);
  });

  it('of a client has the first response, beside one of the server itself', async () => {
    const { battery, begin } = withBegin();
    await battery.ask();
    begin();
    const answer = battery.level();
    await otherTurns();
    begin();
    expect([battery.take(7), battery.take(7), battery.take(7)]).to.deep.equal([true, true, false]);
    expect(await answer).to.deep.equal(E.right(7));
  });
});
