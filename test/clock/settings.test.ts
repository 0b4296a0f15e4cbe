import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { Settings, SettingsChange } from '../../src/clock/contract.js';
import { eachKitchen, KITCHEN } from '../support/clock-fixture.js';
import { RECORD, type FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;

describe('The schema of a change of settings', () => {
  it('has a range for clients, and another for stored values', () => {
    const { properties } = SettingsChange.schema.input;
    expect(properties)
      .to.have.nested.property('volume.anyOf[0].anyOf[0]')
      .that.includes({ minimum: 1, maximum: 5 });
    expect(properties)
      .to.have.nested.property('volume.anyOf[0].anyOf[1]')
      .that.includes({ minimum: 0, maximum: 255, description: 'Only if the clock has stored it already' });
  });
});

describe('settings', () => {
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ client, device } = kitchen));

  const answered = async (command: object): Promise<unknown> => {
    const result = await client.succeed({ address, ...command });
    expect(E.isRight(Settings.decode(result))).to.equal(true);
    return result;
  };
  const read = () => answered({ type: 'read_settings' });
  const write = (settings: unknown) => answered({ type: 'write_settings', settings });

  it('stay changed after a concurrent change', async () => {
    await Promise.all([write({ volume: 1 }), write({ language: 'zh' })]);
    expect(await read()).to.include({ volume: 1, language: 'zh' });
  });

  describe('out of the range for clients', () => {
    const stored = {
      volume: 9,
      screen_light_secs: 255,
      timezone_offset_minutes: -1530,
      night_start: '25:61',
      night_end: '255:00',
    };
    beforeEach(() => {
      const record = Buffer.from(RECORD);
      // The volume, the screen's light, the time zone in units of 6 minutes, its sign, and the night from and to
      // (docs/cgd1-protocol.md §7).
      for (const [at, byte] of [
        [0, 9],
        [5, 255],
        [4, 255],
        [11, 0],
        [7, 25],
        [8, 61],
        [9, 255],
        [10, 0],
      ] as const)
        record[at] = byte;
      device.become({ record });
    });

    it('do not prevent an upload', async () => {
      const data = Buffer.alloc(10, 128).toString('base64');
      const upload = { type: 'upload_ringtone', address, offset: 0, data, last: true, format: 'pcm_u8_8k' };
      expect(await client.succeed(upload)).to.include({ ringtone: 'deaddead' });
      expect(await read()).to.include(stored);
    });

    for (const [field, value, allowed] of [
      ['volume', 0, 'a whole number from 1 to 5'],
      ['volume', 255, 'a whole number from 1 to 5'],
      ['night_start', '25:60', 'a time from "00:00" to "23:59"'],
      ['night_end', '24:00', 'a time from "00:00" to "23:59"'],
      ['screen_light_secs', 31, 'a whole number from 0 to 30'],
      ['screen_light_secs', 254, 'a whole number from 0 to 30'],
      ['timezone_offset_minutes', 846, '-720 to 840 in steps of 6'],
      ['timezone_offset_minutes', 1530, '-720 to 840 in steps of 6'],
    ] as const) {
      it(`are refused if the clock has stored another value: ${field} ${value}`, async () => {
        const change = { ...stored, language: 'zh', [field]: value };
        expect(await client.fail({ type: 'write_settings', address, settings: change })).to.equal(
          `command.settings.${field} must be ${allowed}, got ${JSON.stringify(value)}`,
        );
        expect(device.sent('WriteSettings')).to.deep.equal([]);
      });
    }
  });
});
