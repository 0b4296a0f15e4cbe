import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { DetailedClockEvent } from '../../src/clock/contract.js';
import { type Answer, refusalOf } from '../support/client.js';
import { BEDROOM, type ClockFixture, eachKitchen, HALL, KITCHEN } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;
const reading = { temperature: 23.45, humidity: 51.5 };
const level = { event: 'battery_level', data: { level: 85 } };
const measured = { event: 'sensor_update', data: reading };

interface Position {
  readonly seq: number;
  readonly instance: string;
}

describe('GET /ws of the clock server', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  const position = async (): Promise<Position> => (await fixture.get('/health')).body as Position;
  const resume = async (...addresses: readonly string[]): Promise<string> => {
    const { seq, instance } = await position();
    return `?since=${seq}&instance=${instance}${addresses.map((of) => `&address=${of}`).join('')}`;
  };
  const refused = (query: string): Promise<Answer> => refusalOf(fixture.server.port, `/ws${query}`);

  /** All events of one that was sent them before. */
  const caughtUp = async (who: ClockClient): Promise<readonly unknown[]> => {
    await who.succeed({ type: 'unsubscribe_events', address: HALL });
    return who.unread;
  };

  it('subscribes to the clocks that are named, as the command does', async () => {
    const bedroom = await fixture.connected(BEDROOM, client);
    const both = await fixture.client(
      `?address=${KITCHEN.toLowerCase()}&address=${BEDROOM}&address=${KITCHEN}`,
    );
    const one = await fixture.client(`?address=${KITCHEN}`);
    device.measure(reading);
    bedroom.measure(reading);
    expect(await caughtUp(both)).to.deep.equal([level, level, measured, measured]);
    expect(await caughtUp(one)).to.deep.equal([level, measured]);
    await one.succeed({ type: 'unsubscribe_events', address });
    device.measure(reading);
    expect(await caughtUp(one)).to.have.length(2);
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
    for (const [index, event] of [measured, ack, level, measured].entries()) {
      expect(events[index]).to.deep.include({ ...event, address });
      expect(E.isRight(DetailedClockEvent.decode(events[index]))).to.equal(true);
    }
    const seqs = events.map((event) => (event as Position).seq);
    expect(seqs).to.deep.equal([...seqs].sort((one, other) => one - other));
  });

  it('takes one that was disconnected meanwhile, and sends that event', async () => {
    const query = await resume(KITCHEN);
    await client.succeed({ type: 'disconnect', address });
    const [event] = await caughtUp(await fixture.client(query));
    expect(event).to.deep.include({ event: 'disconnected', data: {}, address });
  });

  it('sends no events that were sent to another client alone', async () => {
    const query = await resume(KITCHEN);
    await client.succeed({ type: 'subscribe_events', address });
    expect(await client.next()).to.deep.equal(level);
    const events = await caughtUp(await fixture.client(query));
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include(level);
  });
});
