import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { ClockEvent, DetailedClockEvent } from '../../src/clock/contract.js';
import { type Answer, refusalOf } from '../support/client.js';
import { BEDROOM, type ClockFixture, eachKitchen, HALL, KITCHEN } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;
const subscribe = { type: 'subscribe_events', address };
const reading = { temperature: 23.45, humidity: 51.5 };
const level = { event: 'battery_level', data: { level: 85 } };
const read = { event: 'sensor_update', data: reading };

interface Position {
  readonly seq: number;
  readonly instance: string;
}

describe('events', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  /** The unread events, after all that were sent before have come. */
  const caughtUp = async (receiver = client): Promise<readonly unknown[]> => {
    await receiver.succeed({ type: 'unsubscribe_events', address: HALL });
    return receiver.unread;
  };

  describe('of a clock without a link', () => {
    beforeEach(async () => {
      await client.succeed(subscribe);
      await client.next();
      await client.succeed({ type: 'disconnect', address });
    });

    it('have no signal strength if the adapter does not report it', async () => {
      await client.next();
      device.rssi = null;
      fixture.radio.advertise(device);
      const event = await client.next();
      expect(event).to.have.nested.property('data.rssi', null);
      expect(E.isRight(ClockEvent.decode(event))).to.equal(true);
    });

    it('come once for equal packets within half a second, and again for later packets', async () => {
      expect(await caughtUp()).to.have.lengthOf(1);
      fixture.radio.advertise(device);
      fixture.time.advance(500);
      fixture.radio.advertise(device);
      fixture.radio.advertise(device);
      const [, ...later] = await caughtUp();
      expect(later).to.have.lengthOf(2);
    });

    it('do not include other clocks', async () => {
      await client.next();
      const bedroom = await fixture.connected(BEDROOM, client);
      await client.succeed({ type: 'disconnect', address: BEDROOM });
      fixture.radio.advertise(bedroom);
      expect(await caughtUp()).to.deep.equal([]);
    });

    it('go on when the clock is connected again', async () => {
      await client.next();
      await client.succeed({ type: 'connect', address });
      expect(fixture.radio.listeners.size).to.equal(0);
      device.measure(reading);
      expect(await client.next()).to.deep.equal({ event: 'reconnected', data: {} });
      expect(await client.next()).to.deep.equal(read);
    });

    it('end when the client unsubscribes', async () => {
      await client.next();
      expect(fixture.radio.listeners.size).to.equal(1);
      await client.succeed({ type: 'unsubscribe_events', address });
      expect(fixture.radio.listeners.size).to.equal(0);
    });
  });

  it('report the level from a read of a clock that does not advertise it', async () => {
    const old = fixture.add(BEDROOM, false);
    old.advertisesBattery = false;
    fixture.radio.advertise(old);
    await client.succeed({ type: 'connect', address: BEDROOM });
    await client.succeed({ type: 'subscribe_events', address: BEDROOM });
    expect(await caughtUp()).to.deep.equal([]);
    for (let twice = 0; twice < 2; twice++) await client.succeed({ type: 'read_battery', address: BEDROOM });
    expect(await caughtUp()).to.deep.equal([{ event: 'battery_level', data: { level: 99 } }]);
  });

  it('leave nothing behind after many clients have come and gone', async () => {
    const warned: Error[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on('warning', warn);
    const { pending } = fixture.time;
    for (let round = 0; round < 30; round++) {
      const visitor = await fixture.client();
      const commands = [
        { type: 'subscribe_events', address },
        { type: 'read_firmware', address },
        { type: 'upload_ringtone', address, offset: 0, data: '', last: false, format: 'wav' },
      ];
      for (const command of commands) await visitor.succeed(command);
      for (let scans = 0; scans < 8; scans++) void visitor.send({ type: 'scan', duration_secs: 600 });
      await fixture.radio.until(() => fixture.radio.stateListeners.size === 8);
      expect(fixture.radio.listeners.size).to.equal(1);
      visitor.socket.terminate();
      await fixture.radio.until(() => fixture.radio.listeners.size === 0);
    }
    expect(fixture.time.pending).to.equal(pending);
    // The listener of the connection, and a listener that counts.
    expect(device.link?.endListeners.size).to.equal(2);
    process.off('warning', warn);
    expect(warned).to.deep.equal([]);
  });

  describe('of GET /ws', () => {
    const position = async (): Promise<Position> => (await fixture.get('/health')).body as Position;
    const resume = async (...addresses: readonly string[]): Promise<string> => {
      const { seq, instance } = await position();
      return `?since=${seq}&instance=${instance}${addresses.map((of) => `&address=${of}`).join('')}`;
    };
    const refused = (query: string): Promise<Answer> => refusalOf(fixture.server.port, `/ws${query}`);

    it('subscribes to the named clocks, like the command', async () => {
      const bedroom = await fixture.connected(BEDROOM, client);
      const both = await fixture.client(
        `?address=${KITCHEN.toLowerCase()}&address=${BEDROOM}&address=${KITCHEN}`,
      );
      const kitchenOnly = await fixture.client(`?address=${KITCHEN}`);
      device.measure(reading);
      bedroom.measure(reading);
      expect(await caughtUp(both)).to.deep.equal([level, level, read, read]);
      expect(await caughtUp(kitchenOnly)).to.deep.equal([level, read]);
      await kitchenOnly.succeed({ type: 'unsubscribe_events', address });
      device.measure(reading);
      expect(await caughtUp(kitchenOnly)).to.have.length(2);
      expect(await caughtUp(both)).to.have.length(5);
    });

    it('refuses a clock that is not connected, and an invalid address', async () => {
      expect(await refused(`?address=${HALL}`)).to.deep.include({
        status: 404,
        body: { error: `device ${HALL} is not connected`, code: 'not_connected' },
      });
      expect((await refused('?address=kitchen')).body).to.deep.equal({
        code: 'invalid_input',
        error:
          'address[0] must be six pairs of hex digits with colons, such as D1:CE:00:00:00:01, got "kitchen"',
      });
    });

    it('sends the missed events, then the level of the battery and new events', async () => {
      const query = await resume(KITCHEN);
      const bedroom = await fixture.connected(BEDROOM, client);
      device.measure(reading);
      bedroom.measure({ temperature: 1, humidity: 2 });
      await client.succeed({ type: 'set_brightness', address, value: 30 });
      const back = await fixture.client(query);
      device.measure(reading);
      const events = await caughtUp(back);
      const ack = { event: 'ack', data: { command: 'set_brightness', status: 'success' } };
      expect(events).to.have.length(4);
      for (const [index, event] of [read, ack, level, read].entries()) {
        expect(events[index]).to.deep.include({ ...event, address });
        expect(E.isRight(DetailedClockEvent.decode(events[index]))).to.equal(true);
      }
      const seqs = events.map((event) => (event as Position).seq);
      expect(seqs).to.deep.equal([...seqs].sort((a, b) => a - b));
    });

    it('accepts a clock that was disconnected meanwhile, and sends the event', async () => {
      const query = await resume(KITCHEN);
      await client.succeed({ type: 'disconnect', address });
      const [event] = await caughtUp(await fixture.client(query));
      expect(event).to.deep.include({ event: 'disconnected', data: {}, address });
    });

    it('does not send events that were for another client alone', async () => {
      const query = await resume(KITCHEN);
      await client.succeed({ type: 'subscribe_events', address });
      expect(await client.next()).to.deep.equal(level);
      const events = await caughtUp(await fixture.client(query));
      expect(events).to.have.length(1);
      expect(events[0]).to.deep.include(level);
    });
  });
});
