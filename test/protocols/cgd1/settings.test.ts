import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import {
  RINGTONES,
  decodeSettings,
  encodeSettings,
  isNight,
  type Settings,
} from '../../../src/protocols/cgd1/index.js';
import { bytes } from '../../support/hci-host.js';
import { jsonOf, rows } from '../../support/rows.js';

/** The published record, without the two bytes before it. */
const record = bytes('03 58 02 01 78 0F A5 16 00 07 00 01 01 00 01 02 03 04');

const settings: Settings = {
  volume: 3,
  language: 'en',
  time_format: '24h',
  temperature_unit: 'C',
  alarms_enabled: true,
  timezone_offset_minutes: 720,
  screen_light_secs: 15,
  brightness: 100,
  night_brightness: 50,
  night_mode_enabled: true,
  night_start: { hour: 22, minute: 0 },
  night_end: { hour: 7, minute: 0 },
  ringtone: '01020304',
};

/** Setting, value, and the bytes of the changed record. */
const changes = rows(
  3,
  `
  volume                  | 5            | 05 58 02 01 78 0F A5 16 00 07 00 01 01 00 01 02 03 04
  volume                  | 0            | 00 58 02 01 78 0F A5 16 00 07 00 01 01 00 01 02 03 04
  language                | "zh"         | 03 58 02 00 78 0F A5 16 00 07 00 01 01 00 01 02 03 04
  time_format             | "12h"        | 03 58 02 03 78 0F A5 16 00 07 00 01 01 00 01 02 03 04
  temperature_unit        | "F"          | 03 58 02 05 78 0F A5 16 00 07 00 01 01 00 01 02 03 04
  alarms_enabled          | false        | 03 58 02 11 78 0F A5 16 00 07 00 01 01 00 01 02 03 04
  timezone_offset_minutes | 330          | 03 58 02 01 37 0F A5 16 00 07 00 01 01 00 01 02 03 04
  timezone_offset_minutes | -480         | 03 58 02 01 50 0F A5 16 00 07 00 00 01 00 01 02 03 04
  timezone_offset_minutes | 0            | 03 58 02 01 00 0F A5 16 00 07 00 01 01 00 01 02 03 04
  screen_light_secs       | 30           | 03 58 02 01 78 1E A5 16 00 07 00 01 01 00 01 02 03 04
  brightness              | 20           | 03 58 02 01 78 0F 25 16 00 07 00 01 01 00 01 02 03 04
  brightness              | 150          | 03 58 02 01 78 0F F5 16 00 07 00 01 01 00 01 02 03 04
  night_brightness        | 0            | 03 58 02 01 78 0F A0 16 00 07 00 01 01 00 01 02 03 04
  night_start             | { "hour": 21, "minute": 45 } | 03 58 02 01 78 0F A5 15 2D 07 00 01 01 00 01 02 03 04
  night_start             | { "hour": 25, "minute": 61 } | 03 58 02 01 78 0F A5 19 3D 07 00 01 01 00 01 02 03 04
  night_end               | { "hour": 6, "minute": 30 }  | 03 58 02 01 78 0F A5 16 00 06 1E 01 01 00 01 02 03 04
  night_end               | { "hour": 255, "minute": 0 } | 03 58 02 01 78 0F A5 16 00 FF 00 01 01 00 01 02 03 04
  night_mode_enabled      | false        | 03 58 02 01 78 0F A5 16 00 07 00 01 00 00 01 02 03 04
  ringtone                | "ea2d4c02"   | 03 58 02 01 78 0F A5 16 00 07 00 01 01 00 EA 2D 4C 02
  `,
);

const bits = fc.uint8Array({ minLength: 18, maxLength: 18 }).map((array) => Buffer.from(array));

describe('clock protocol: settings', () => {
  it('reads the published record', () => {
    expect(decodeSettings(record)).to.deep.equal(E.right(settings));
  });

  for (const [name, json, hex] of changes) {
    it(`changes ${name} to ${json}, and no other setting`, () => {
      const change = { [name]: jsonOf(json) };
      expect(encodeSettings(record, change)).to.deep.equal(bytes(hex));
      expect(decodeSettings(bytes(hex))).to.deep.equal(E.right({ ...settings, ...change }));
    });
  }

  it('does not change the original record', () => {
    const before = Buffer.from(record);
    encodeSettings(record, { volume: 1, ringtone: RINGTONES.Beep });
    expect(record).to.deep.equal(before);
  });

  it('keeps the header, the reserved byte and the flags without a meaning', () => {
    const odd = bytes('03 FF FF E9 00 0F A5 16 00 07 00 01 01 FF FF FF FF FF');
    const everything: Settings = {
      ...settings,
      language: 'zh',
      time_format: '12h',
      temperature_unit: 'F',
      alarms_enabled: false,
    };
    const written = encodeSettings(odd, everything);
    expect(written.subarray(1, 3)).to.deep.equal(bytes('FF FF'));
    expect(written[3]).to.equal(0b1111_1110);
    expect(written[13]).to.equal(0xff);
  });

  it('rounds a time zone to 6 minutes, the unit of a clock', () => {
    const zone = (minutes: number): number | undefined => {
      const read = decodeSettings(encodeSettings(record, { timezone_offset_minutes: minutes }));
      return E.isRight(read) ? read.right.timezone_offset_minutes : undefined;
    };
    expect(zone(345)).to.equal(348);
    expect(zone(-2)).to.equal(0);
    expect(zone(-210)).to.equal(-210);
  });

  it('reads a western offset of 0 as UTC, not as -0', () => {
    const west = bytes('03 58 02 01 00 0F A5 16 00 07 00 00 01 00 01 02 03 04');
    expect(decodeSettings(west)).to.deep.equal(E.right({ ...settings, timezone_offset_minutes: 0 }));
  });

  it('refuses another length', () => {
    expect(decodeSettings(bytes('03 58'))).to.deep.equal(
      E.left({
        _tag: 'ParseError',
        code: 'invalid_input',
        message: 'the settings must have 18 bytes, got 2',
      }),
    );
  });

  it('reads back the settings of any record, over any other', () => {
    fc.assert(
      fc.property(bits, bits, (base, other) => {
        const read = decodeSettings(other);
        if (E.isLeft(read)) throw new Error(read.left.message);
        expect(decodeSettings(encodeSettings(base, read.right))).to.deep.equal(read);
      }),
    );
  });

  it('does not throw, and keeps unknown bits when it writes unchanged settings', () => {
    fc.assert(
      fc.property(bits, (base) => {
        expect(encodeSettings(base, {})).to.deep.equal(base);
        const read = decodeSettings(base);
        if (E.isLeft(read)) throw new Error(read.left.message);
        const written = encodeSettings(base, read.right);
        expect(decodeSettings(written)).to.deep.equal(read);
        expect(written.subarray(1, 4)).to.deep.equal(base.subarray(1, 4));
      }),
      { numRuns: 2000 },
    );
  });

  it('has the night from its start to its end, also over midnight', () => {
    const at = (clock: string) => {
      const [hour = 0, minute = 0] = clock.split(':').map(Number);
      return { hour, minute };
    };
    const minutes = (clock: string): number => at(clock).hour * 60 + at(clock).minute;
    for (const [from, to, nights, days] of [
      ['22:30', '07:15', ['22:30', '23:59', '00:00', '07:14'], ['07:15', '12:00', '22:29']],
      ['01:05', '06:00', ['01:05', '05:59'], ['00:00', '01:04', '06:00', '23:59']],
      ['03:00', '03:00', [], ['02:59', '03:00', '03:01']],
    ] as const) {
      const night = { ...settings, night_start: at(from), night_end: at(to) };
      const all = [...nights, ...days];
      expect(all.filter((clock) => isNight(night, minutes(clock)))).to.deep.equal(nights);
      const off = { ...night, night_mode_enabled: false };
      expect(all.filter((clock) => isNight(off, minutes(clock)))).to.deep.equal([]);
    }
  });

  it('has the signatures of the tones', () => {
    expect(Object.values(RINGTONES)).to.deep.equal([
      'fdc366a5',
      '0961bb77',
      'ba2c2c8c',
      'ea2d4c02',
      '791bacb3',
      '1d019fd6',
      '6e70b659',
      '8f004886',
      '26522519',
    ]);
  });
});
