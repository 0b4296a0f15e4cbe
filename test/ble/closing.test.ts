import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Fixture } from '../support/bluetooth-fixture.js';
import {
  DEVICE,
  OTHER_DEVICE,
  PROFILE,
  linkTo,
  type FixtureRadio,
  twoDevices,
  eachFixture,
} from '../support/bluetooth-fixture.js';
import { otherTurns } from '../support/hci-host.js';
import { left } from '../support/either.js';

/** The resources that keep the process alive, streams to the terminal apart. */
const resources = (): readonly string[] =>
  process
    .getActiveResourcesInfo()
    .filter((name) => !/^(TTY|Pipe|Immediate|TickObject|CloseReq|FSReq)/.test(name))
    .toSorted();

describe('Closing a radio', () => {
  let fixture: Fixture;
  let radio: FixtureRadio;
  eachFixture((opened) => ({ fixture, radio } = opened));

  it('leaves no timer, no listener and no stream behind', async () => {
    await fixture.device();
    await otherTurns();
    const before = resources();
    const other = await fixture.radio();
    const stop = other.listen(() => undefined);
    await linkTo(other);
    await other.close();
    while (fixture.server.list().length > 1) await otherTurns(1);
    stop();
    await otherTurns();
    expect(resources()).to.deep.equal(before);
    expect(other.time.pending).to.equal(0);
    expect(other.counts).to.deep.equal({ links: 0, listeners: 0, advertisements: 0, peripherals: 0 });
  });

  it('while a connect is under way and another waits: both fail, and it closes', async () => {
    await twoDevices(fixture, radio);
    fixture.air.setReception(DEVICE, { inRange: false });
    const connecting = [radio.connect(DEVICE, PROFILE)(), radio.connect(OTHER_DEVICE, PROFILE)()];
    await otherTurns();
    await radio.close();
    const errors = (await Promise.all(connecting)).map(left);
    expect(errors).to.deep.equal([
      { _tag: 'Closed', address: DEVICE },
      { _tag: 'Closed', address: OTHER_DEVICE },
    ]);
    expect(radio.time.pending).to.equal(0);
  });

  it('twice is closing once: both wait for the same end', async () => {
    await fixture.device();
    const link = await linkTo(radio);
    let links: number | undefined;
    const [first, second] = [radio.close(), radio.close().then(() => (links = radio.counts.links))];
    await Promise.all([first, second]);
    expect([link.ended?._tag, links]).to.deep.equal(['Closed', 0]);
  });
});
