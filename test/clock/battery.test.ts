import { expect } from 'chai';
import { BATTERY_LEVEL } from '../../src/protocols/cgd1/index.js';
import { BEDROOM, type ClockFixture, eachKitchen, HALL, KITCHEN } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;
const START = '2026-01-02T03:04:05.678Z';

describe('the battery', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  const read = (of = address): Promise<unknown> => client.succeed({ type: 'read_battery', address: of });
  const connect = (): Promise<unknown> => client.succeed({ type: 'connect', address });
  const disconnect = (): Promise<unknown> => client.succeed({ type: 'disconnect', address });
  const advertised = (battery: number, heard_at = START): object => ({
    ...{ address, battery, source: 'advertisement', heard_at },
  });
  const byGatt = (battery: number, of = address): object => ({
    ...{ address: of, battery, source: 'gatt', heard_at: null },
  });

  /** Levels that were reported, in order, and no other event of the battery. */
  const levels = async (): Promise<readonly number[]> => {
    await client.succeed({ type: 'unsubscribe_events', address: HALL });
    return (client.unread as readonly { readonly event: string; readonly data: { readonly level: number } }[])
      .filter(({ event }) => event === 'battery_level')
      .map(({ data }) => data.level);
  };

  /** A clock that advertises no level, connected. */
  const old = async (make: (time: FakeClock) => void = () => undefined): Promise<FakeClock> => {
    const time = fixture.add(BEDROOM, false);
    time.advertisesBattery = false;
    make(time);
    fixture.radio.advertise(time);
    await client.succeed({ type: 'connect', address: BEDROOM });
    return time;
  };

  it('has the time of the packet, not of the connect', async () => {
    await disconnect();
    device.become({ battery: 84 });
    fixture.radio.advertise(device);
    fixture.time.advance(30_000);
    await connect();
    expect(await read()).to.deep.equal(advertised(84));
  });

  it('is not the 99 of real clocks once another level was received', async () => {
    await client.succeed({ type: 'subscribe_events', address });
    device.charge(99);
    expect(await read()).to.deep.equal(advertised(85));
    device.charge(42);
    device.charge(99);
    expect(await read()).to.deep.equal(byGatt(42));
    expect(await levels()).to.deep.equal([85, 42]);
  });

  it('is 99 without another level, and is read again', async () => {
    const time = await old();
    time.charge(99);
    expect(await read(BEDROOM)).to.deep.equal(byGatt(99, BEDROOM));
    time.charge(98);
    expect(await read(BEDROOM)).to.deep.equal(byGatt(98, BEDROOM));
  });

  it('ignores impossible levels', async () => {
    device.say(BATTERY_LEVEL, Buffer.from([101]));
    device.say(BATTERY_LEVEL, Buffer.alloc(0));
    device.say(BATTERY_LEVEL, Buffer.from([42, 42]));
    expect(await read()).to.deep.equal(advertised(85));
  });

  it('is the newest that was received, by advertisement or notification', async () => {
    await client.succeed({ type: 'subscribe_events', address });
    device.charge(42);
    await disconnect();
    await connect();
    // A level from before that link is known already, and older.
    expect(await read()).to.deep.equal(byGatt(42));
    await disconnect();
    device.become({ battery: 41 });
    fixture.time.advance(1_000);
    fixture.radio.advertise(device);
    await connect();
    expect(await read()).to.deep.equal(advertised(41, '2026-01-02T03:04:06.678Z'));
    expect(await levels()).to.deep.equal([85, 42, 41]);
  });

  for (const [what, make] of [
    ['does not notify it', (time: FakeClock) => (time.notifiesBattery = false)],
    ['refuses the subscription to it', (time: FakeClock) => (time.refusesBattery = true)],
  ] as const) {
    it(`of a clock that ${what} is as it was: the clock is connected anyway`, async () => {
      const time = await old(make);
      time.charge(42);
      expect(await read(BEDROOM)).to.deep.equal(byGatt(99, BEDROOM));
      expect(await client.succeed({ type: 'read_firmware', address: BEDROOM })).to.include({
        firmware: '1.0.1_0130',
      });
    });
  }
});
