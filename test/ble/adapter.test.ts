import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openRadio } from '../../src/ble/noble/index.js';
import {
  Fixture,
  DEVICE,
  LIMITS,
  PROFILE,
  RETRY_MS,
  from,
  nextAdvertisement,
  linkTo,
  type FixtureRadio,
  eachFixture,
} from '../support/bluetooth-fixture.js';
import { untilState } from '../support/bluetooth-proxy.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';
import { left } from '../support/either.js';

const off = { _tag: 'AdapterOff', state: 'poweredOff' };

describe('An adapter that is switched off and on', () => {
  let fixture: Fixture;
  let radio: FixtureRadio;
  const switchOff = async (): Promise<void> => {
    fixture.server.power('hci0', false);
    await untilState(radio, 'poweredOff');
  };
  const switchOn = async (): Promise<void> => {
    fixture.server.power('hci0', true);
    radio.time.advance(RETRY_MS);
    await untilState(radio, 'poweredOn');
  };

  eachFixture((opened) => ({ fixture, radio } = opened));

  it('refuses connections until it is on again', async () => {
    await fixture.device();
    await nextAdvertisement(radio, from(DEVICE));
    await switchOff();
    expect(radio.state).to.equal('poweredOff');
    expect(left(await radio.connect(DEVICE, PROFILE)())).to.deep.equal(off);
    await switchOn();
    // Packets from before count no longer.
    expect(left(await radio.connect(DEVICE, PROFILE)())).to.deep.equal({ _tag: 'NotFound', address: DEVICE });
    expect((await linkTo(radio)).ended).to.equal(undefined);
  });

  it('ends current and waiting connects immediately, with its state', async () => {
    await fixture.device();
    await nextAdvertisement(radio, from(DEVICE));
    fixture.air.setReception(DEVICE, { inRange: false });
    const connecting = [radio.connect(DEVICE, PROFILE)(), radio.connect(DEVICE, PROFILE)()];
    await otherTurns();
    await switchOff();
    expect((await Promise.all(connecting)).map(left)).to.deep.equal([off, off]);
    fixture.air.setReception(DEVICE, { inRange: true });
    await switchOn();
    expect((await linkTo(radio)).ended).to.equal(undefined);
  });

  it('10. starts a new noble each time, and leaves nothing of the old one', async () => {
    await fixture.device();
    const processListeners = process.eventNames().map((name) => process.listenerCount(name));
    for (let round = 0; round < 3; round++) {
      const link = await linkTo(radio);
      await switchOff();
      expect(link.ended).to.deep.equal(off);
      expect(radio.counts).to.deep.equal({ links: 0, listeners: 0, advertisements: 0, peripherals: 0 });
      await switchOn();
    }
    expect(process.eventNames().map((name) => process.listenerCount(name))).to.deep.equal(processListeners);
    expect(radio.warnings).to.deep.equal([]);
  });
});

describe('An adapter at the end of a stream', () => {
  it('is off while its stream is gone, and on again when the stream is back', async () => {
    const fixture = await Fixture.open();
    const radio = await fixture.radio();
    await fixture.server.close();
    await untilState(radio, 'poweredOff');
    await fixture.server.listen({ host: '127.0.0.1', port: fixture.port });
    radio.time.advance(RETRY_MS);
    await untilState(radio, 'poweredOn');
    await fixture.close();
  });

  it('without a listener: AdapterUnavailable within the limit, and nothing is left behind', async () => {
    const fixture = await Fixture.open();
    await fixture.close();
    const time = manualTime();
    const { port } = fixture;
    const opening = openRadio({
      hci: { kind: 'tcp', host: '127.0.0.1', port },
      limits: LIMITS,
      warn: () => undefined,
      time,
    })();
    await otherTurns();
    time.advance(10_000);
    const reason = left(await opening);
    expect(reason).to.have.property('reason').that.contains(`nothing answers at tcp:127.0.0.1:${port}`);
    expect(time.pending).to.equal(0);
  });
});
