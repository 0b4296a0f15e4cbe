import { expect } from 'chai';
import fc from 'fast-check';
import { eachKitchen, KITCHEN, startKitchen } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => [hour, minute].map((part) => String(part).padStart(2, '0')).join(':'));
const tens = fc.integer({ min: 0, max: 15 }).map((steps) => steps * 10);

const settings = fc.record(
  {
    volume: fc.integer({ min: 1, max: 5 }),
    language: fc.constantFrom('zh', 'en'),
    time_format: fc.constantFrom('24h', '12h'),
    temperature_unit: fc.constantFrom('C', 'F'),
    alarms_enabled: fc.boolean(),
    timezone_offset_minutes: fc.integer({ min: -120, max: 140 }).map((steps) => steps * 6),
    screen_light_secs: fc.integer({ min: 0, max: 30 }),
    brightness: tens,
    night_brightness: tens,
    night_mode_enabled: fc.boolean(),
    night_start: time,
    night_end: time,
    ringtone: fc.stringMatching(/^[0-9a-f]{8}$/),
  },
  { requiredKeys: [] },
);

const alarm = fc.record({
  slot: fc.integer({ min: 0, max: 15 }),
  time,
  repeat_mask: fc.integer({ min: 0, max: 127 }),
  enabled: fc.boolean(),
  snooze: fc.boolean(),
});

describe('a round trip', () => {
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ client, device } = kitchen));

  it('of settings changes the written fields and nothing else, on any record', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 18, maxLength: 18 }), settings, async (bytes, change) => {
        device.become({ record: Buffer.from(bytes) });
        const before = (await client.succeed({ type: 'read_settings', address })) as object;
        expect(await client.succeed({ type: 'write_settings', address, settings: before })).to.deep.equal(
          before,
        );
        const written = await client.succeed({ type: 'write_settings', address, settings: change });
        expect(written).to.deep.equal({ ...before, ...change });
        expect(await client.succeed({ type: 'read_settings', address })).to.deep.equal(written);
        for (const unknown of [1, 2, 13]) expect(device.state.record[unknown]).to.equal(bytes[unknown]);
        expect((device.state.record[3] ?? 0) & 0xe8).to.equal((bytes[3] ?? 0) & 0xe8);
      }),
      { numRuns: 100 },
    ));

  it('of alarms returns the same alarms', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(alarm, { selector: ({ slot }) => slot, maxLength: 16 }),
        async (alarms) => {
          device.become({ alarms: [] });
          await Promise.all(alarms.map((one) => client.succeed({ type: 'set_alarm', address, ...one })));
          expect(await client.succeed({ type: 'read_alarms', address })).to.deep.equal(
            [...alarms].sort((a, b) => a.slot - b.slot),
          );
        },
      ),
      { numRuns: 50 },
    ));
});

describe('many clients that come and go', () => {
  it('leave nothing behind', async () => {
    const warned: Error[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on('warning', warn);
    const { fixture, device } = await startKitchen();
    const { pending } = fixture.time;
    for (let round = 0; round < 30; round++) {
      const client = await fixture.client();
      const commands = [
        { type: 'subscribe_events', address },
        { type: 'read_firmware', address },
        { type: 'upload_ringtone', address, offset: 0, data: '', last: false, format: 'wav' },
      ];
      for (const command of commands) await client.succeed(command);
      for (let scans = 0; scans < 8; scans++) void client.send({ type: 'scan', duration_secs: 600 });
      await fixture.radio.until(() => fixture.radio.stateListeners.size === 8);
      expect(fixture.radio.listeners.size).to.equal(1);
      client.socket.terminate();
      await fixture.radio.until(() => fixture.radio.listeners.size === 0);
    }
    expect(fixture.time.pending).to.equal(pending);
    // The connection's, and one that counts.
    expect(device.link?.endListeners.size).to.equal(2);
    await fixture.close();
    process.off('warning', warn);
    expect(warned).to.deep.equal([]);
  });
});
