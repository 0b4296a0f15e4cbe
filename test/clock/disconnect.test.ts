import { expect } from 'chai';
import { type ClockFixture, eachFixture, KITCHEN } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

describe('disconnect', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  eachFixture((started) => ({ fixture, client } = started));

  const disconnect = { type: 'disconnect', address: KITCHEN };

  it('fails commands under way', async () => {
    const device = await fixture.connected(KITCHEN, client);
    device.behave({ silent_commands: ['ReadFirmware'] });
    const firmware = client.fail({ type: 'read_firmware', address: KITCHEN });
    await fixture.radio.until(() => device.sent('ReadFirmware').length === 1);
    await client.succeed(disconnect);
    expect(await firmware).to.equal(`device ${KITCHEN} is not connected`);
  });
});

describe('disconnect during the first connect', () => {
  const connect = { type: 'connect', address: KITCHEN };
  const disconnect = { type: 'disconnect', address: KITCHEN };
  const meanwhile = `device ${KITCHEN} is not connected: a client disconnected it meanwhile`;
  let fixture: ClockFixture;
  let client: ClockClient;
  let other: ClockClient;
  eachFixture((started) => ({ fixture, client } = started));
  beforeEach(async () => {
    other = await fixture.client();
  });

  const stages: Readonly<Record<string, (device: FakeClock) => Promise<unknown>>> = {
    'while the clock is looked for': () => fixture.radio.heeded,
    'while the link is made': (device) => {
      device.holdConnect = true;
      fixture.radio.advertise(device);
      return fixture.radio.until(() => device.connects === 1);
    },
    'while its token is proven': (device) => {
      device.holds.add('ReadSettings');
      fixture.radio.advertise(device);
      return fixture.radio.until(() => device.sent('ReadSettings').length === 1);
    },
  };
  for (const [stage, reached] of Object.entries(stages)) {
    it(`ends the attempt for all clients that wait, ${stage}`, async () => {
      const device = fixture.add(KITCHEN, false);
      const first = client.fail(connect);
      await fixture.radio.heeded;
      const second = other.fail(connect);
      await reached(device);
      expect(await other.succeed(disconnect)).to.deep.equal({ address: KITCHEN, disconnected: true });
      expect(await Promise.all([first, second])).to.deep.equal([meanwhile, meanwhile]);
      expect(device.link).to.equal(undefined);
      expect(fixture.radio.listeners.size).to.equal(0);
      expect(await client.fail(disconnect)).to.equal(`device ${KITCHEN} is not connected`);
    });
  }

  it('leaves the next connect to itself', async () => {
    const device = fixture.add(KITCHEN);
    device.holdConnect = true;
    const first = client.fail(connect);
    await fixture.radio.until(() => device.connects === 1);
    const ended = other.succeed(disconnect);
    device.holdConnect = false;
    const second = other.succeed(connect);
    await ended;
    expect(await first).to.equal(meanwhile);
    expect(await second).to.include({ connected: true });
  });
});
