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

  const read = (from = address): Promise<unknown> => client.succeed({ type: 'read_battery', address: from });
  const connect = (): Promise<unknown> => client.succeed({ type: 'connect', address });
  const disconnect = (): Promise<unknown> => client.succeed({ type: 'disconnect', address });
  const advertised = (battery: number, heard_at = START): object => ({
    ...{ address, battery, source: 'advertisement', heard_at },
  });
  const byGatt = (battery: number, from = address): object => ({
    ...{ address: from, battery, source: 'gatt', heard_at: null },
  });

  /** The levels in events, in order. */
  const levels = async (): Promise<readonly number[]> => {
    await client.succeed({ type: 'unsubscribe_events', address: HALL });
    return (client.unread as readonly { readonly event: string; readonly data: { readonly level: number } }[])
      .filter(({ event }) => event === 'battery_level')
      .map(({ data }) => data.level);
  };

  /** Connects a clock that does not advertise its level. */
  const old = async (prepare: (time: FakeClock) => void = () => undefined): Promise<FakeClock> => {
    const time = fixture.add(BEDROOM, false);
    time.advertisesBattery = false;
    prepare(time);
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

  it('is not the 99 of real clocks once there is another level', async () => {
    await client.succeed({ type: 'subscribe_events', address });
    device.charge(99);
    expect(await read()).to.deep.equal(advertised(85));
    device.charge(42);
    device.charge(99);
    expect(await read()).to.deep.equal(byGatt(42));
    expect(await levels()).to.deep.equal([85, 42]);
  });

  it('is 99 without another level, and is read each time', async () => {
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

  it('is the newest level of an advertisement or a notification', async () => {
    await client.succeed({ type: 'subscribe_events', address });
    device.charge(42);
    await disconnect();
    await connect();
    // The advertised level is older than the notified level.
    expect(await read()).to.deep.equal(byGatt(42));
    await disconnect();
    device.become({ battery: 41 });
    fixture.time.advance(1_000);
    fixture.radio.advertise(device);
    await connect();
    expect(await read()).to.deep.equal(advertised(41, '2026-01-02T03:04:06.678Z'));
    expect(await levels()).to.deep.equal([85, 42, 41]);
  });

  for (const [reaction, prepare] of [
    ['does not notify it', (time: FakeClock) => (time.notifiesBattery = false)],
    ['refuses the subscription to it', (time: FakeClock) => (time.refusesBattery = true)],
  ] as const) {
    it(`does not prevent the connection of a clock that ${reaction}`, async () => {
      const time = await old(prepare);
      time.charge(42);
      expect(await read(BEDROOM)).to.deep.equal(byGatt(99, BEDROOM));
      expect(await client.succeed({ type: 'read_firmware', address: BEDROOM })).to.include({
        firmware: '1.0.1_0130',
      });
    });
  }
});
