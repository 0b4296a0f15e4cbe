import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { ClockEvent } from '../../src/clock/contract.js';
import { BEDROOM, type ClockFixture, eachKitchen, HALL, KITCHEN } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;
const subscribe = { type: 'subscribe_events', address };
const reading = { temperature: 23.45, humidity: 51.5 };
const read = { event: 'sensor_update', data: reading };

describe('events', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  /** Everything that was sent before has come. */
  const caughtUp = async (): Promise<readonly unknown[]> => {
    await client.succeed({ type: 'unsubscribe_events', address: HALL });
    return client.unread;
  };

  describe('of a clock without a link', () => {
    beforeEach(async () => {
      await client.succeed(subscribe);
      await client.next();
      await client.succeed({ type: 'disconnect', address });
    });

    it('have no signal strength where the adapter does not report it', async () => {
      await client.next();
      device.rssi = null;
      fixture.radio.advertise(device);
      const event = await client.next();
      expect(event).to.have.nested.property('data.rssi', null);
      expect(E.isRight(ClockEvent.decode(event))).to.equal(true);
    });

    it('come once for packets that follow each other closely, and again for the next', async () => {
      expect(await caughtUp()).to.have.lengthOf(1);
      fixture.radio.advertise(device);
      fixture.time.advance(500);
      fixture.radio.advertise(device);
      fixture.radio.advertise(device);
      const [, ...later] = await caughtUp();
      expect(later).to.have.lengthOf(2);
    });

    it('leave out other clocks', async () => {
      await client.next();
      const bedroom = await fixture.connected(BEDROOM, client);
      await client.succeed({ type: 'disconnect', address: BEDROOM });
      fixture.radio.advertise(bedroom);
      expect(await caughtUp()).to.deep.equal([]);
    });

    it('go on when it is connected again', async () => {
      await client.next();
      await client.succeed({ type: 'connect', address });
      expect(fixture.radio.listeners.size).to.equal(0);
      device.measure(reading);
      expect(await client.next()).to.deep.equal({ event: 'reconnected', data: {} });
      expect(await client.next()).to.deep.equal(read);
    });

    it('end with unsubscribing, connected or not', async () => {
      await client.next();
      expect(fixture.radio.listeners.size).to.equal(1);
      await client.succeed({ type: 'unsubscribe_events', address });
      expect(fixture.radio.listeners.size).to.equal(0);
    });
  });

  it('report the level that was read from a clock that advertises none', async () => {
    const old = fixture.add(BEDROOM, false);
    old.advertisesBattery = false;
    fixture.radio.advertise(old);
    await client.succeed({ type: 'connect', address: BEDROOM });
    await client.succeed({ type: 'subscribe_events', address: BEDROOM });
    expect(await caughtUp()).to.deep.equal([]);
    for (let twice = 0; twice < 2; twice++) await client.succeed({ type: 'read_battery', address: BEDROOM });
    expect(await caughtUp()).to.deep.equal([{ event: 'battery_level', data: { level: 99 } }]);
  });
});
