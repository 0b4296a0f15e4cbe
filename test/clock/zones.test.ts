import { expect } from 'chai';
import { eachKitchen, KITCHEN, type ClockFixture } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;

/** Ten seconds before the summer time of Europe, with `Europe/Berlin` an hour east of UTC. */
const START = Date.UTC(2026, 2, 29, 0, 59, 50);
const SUMMER = { timezone: 'Europe/Berlin', timezone_offset_minutes: 120 };
const WINTER = { ...SUMMER, timezone_offset_minutes: 60 };

describe('The time zone of a clock', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen), { start: START });

  const read = (): Promise<unknown> => client.succeed({ type: 'read_settings', address });
  const write = (settings: unknown): Promise<unknown> =>
    client.succeed({ type: 'write_settings', address, settings });
  const refusal = (settings: unknown): Promise<string> =>
    client.fail({ type: 'write_settings', address, settings });
  /** Resolves when the server has sent so many records to the clock. */
  const records = (count: number): Promise<unknown> =>
    fixture.radio.until(() => device.sent('WriteSettings').length === count);

  it('is null until a client sets it', async () => {
    expect(await read()).to.include({ timezone: null, timezone_offset_minutes: 720 });
  });

  it('gives the clock its offset, and is read with it', async () => {
    expect(await write({ timezone: 'europe/berlin', volume: 5 })).to.include({ ...WINTER, volume: 5 });
    expect(await read()).to.include({ ...WINTER, volume: 5 });
  });

  it('gives a connected clock the offset of each change, which subscribers learn', async () => {
    await write({ timezone: 'Europe/Berlin' });
    await client.succeed({ type: 'subscribe_events', address });
    await client.next();
    fixture.time.advance(9_999);
    expect(await read()).to.include(WINTER);
    fixture.time.advance(1);
    expect(await client.next()).to.deep.equal({
      event: 'ack',
      data: { command: 'write_settings', status: 'success' },
    });
    expect(await read()).to.include(SUMMER);
    expect(device.sent('WriteSettings')).to.have.lengthOf(2);
  });

  it('gives a clock its offset at its next connect', async () => {
    await write({ timezone: 'Europe/Berlin' });
    device.lose();
    fixture.time.advance(10_000);
    expect(device.sent('WriteSettings')).to.have.lengthOf(1);
    await client.succeed({ type: 'connect', address });
    await records(2);
    expect(await read()).to.include(SUMMER);
  });

  it('sends nothing at a connect to a clock that has the offset', async () => {
    await write({ timezone: 'Europe/Berlin' });
    device.lose();
    fixture.time.advance(1_000);
    await client.succeed({ type: 'connect', address });
    expect(await read()).to.include(WINTER);
    expect(device.sent('WriteSettings')).to.have.lengthOf(1);
  });

  it('is tried again an hour after the clock refused its offset', async () => {
    await write({ timezone: 'Europe/Berlin' });
    await client.succeed({ type: 'subscribe_events', address });
    await client.next();
    device.behave({ refused_commands: ['WriteSettings'] });
    fixture.time.advance(10_000);
    expect(await client.next()).to.deep.nested.include({ 'data.status': 'failure' });
    device.behave({ refused_commands: [] });
    fixture.time.advance(3_600_000);
    await records(3);
    expect((await fixture.get(`/api/devices/${address}/settings`)).body).to.include(SUMMER);
  });

  it('does not change the offset that a client sets during its own change', async () => {
    await write({ timezone: 'Europe/Berlin' });
    device.holds.add('WriteSettings');
    const written = write({ timezone_offset_minutes: 30 });
    await records(2);
    fixture.time.advance(10_000);
    device.release();
    expect(await written).to.include({ timezone: null, timezone_offset_minutes: 30 });
    expect(await read()).to.include({ timezone: null, timezone_offset_minutes: 30 });
    expect(device.sent('WriteSettings')).to.have.lengthOf(2);
  });

  for (const [how, change] of [
    ['null', { timezone: null }],
    ['an offset alone', { timezone_offset_minutes: 60 }],
  ] as const) {
    it(`is ended by ${how}`, async () => {
      await write({ timezone: 'Europe/Berlin' });
      const ended = { timezone: null, timezone_offset_minutes: 60 };
      expect(await write(change)).to.include(ended);
      fixture.time.advance(10_000);
      expect(await read()).to.include(ended);
    });
  }

  it('stays when other settings are written', async () => {
    await write({ timezone: 'Europe/Berlin' });
    expect(await write({ volume: 1 })).to.include(WINTER);
  });

  it('may be written back with the offset that was read with it', async () => {
    await write({ timezone: 'Europe/Berlin' });
    const settings = await read();
    expect(await write(settings)).to.deep.equal(settings);
  });

  it('is refused with an offset, and with a name or an offset that no clock can follow', async () => {
    expect(await refusal(WINTER)).to.equal(
      'command.settings.timezone must be without timezone_offset_minutes, got both: the offset follows the zone',
    );
    expect(await refusal({ timezone: 'Mars/Olympus' })).to.equal(
      'command.settings.timezone must be an IANA time zone such as Europe/Berlin or null, got "Mars/Olympus"',
    );
    expect(await refusal({ timezone: 'Asia/Kathmandu' })).to.contain('342 and 348');
    expect(device.sent('WriteSettings')).to.deep.equal([]);
  });
});
