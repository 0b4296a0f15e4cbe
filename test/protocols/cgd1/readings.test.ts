import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import {
  decodeBattery,
  decodeReading,
  encodeBattery,
  encodeReading,
} from '../../../src/protocols/cgd1/index.js';
import { itReadsBack, itRefuses, itWritesAndReads } from '../../support/codec-cases.js';

describe('clock protocol: readings', () => {
  const codec = { encode: encodeReading, decode: decodeReading };
  itWritesAndReads(codec, [
    ['a warm room', '00 29 09 7E 11', { temperature: 23.45, humidity: 44.78 }],
    ['zeros', '00 00 00 00 00', { temperature: 0, humidity: 0 }],
    ['frost', '00 22 FC 06 27', { temperature: -9.9, humidity: 99.9 }],
    ['the least below zero', '00 FF FF 10 27', { temperature: -0.01, humidity: 100 }],
  ]);
  itRefuses(
    codec,
    ['(empty)', '00 29 09 7E', '00 29 09 7E 11 64', '01 29 09 7E 11']
      .map((hex) => `a reading ${hex} | ${hex} | a reading must have 5 bytes and begin with 00, got ${hex}`)
      .join('\n'),
  );

  const batteryCodec = { encode: encodeBattery, decode: decodeBattery };
  itWritesAndReads(batteryCodec, [
    ['a battery', '63', 99],
    ['a full battery', '64', 100],
  ]);
  itRefuses(
    batteryCodec,
    ['(empty)', '65', '63 00']
      .map((hex) => `a battery ${hex} | ${hex} | a battery level must be one byte, 0 to 100, got ${hex}`)
      .join('\n'),
  );

  const temperature = fc.integer({ min: -4000, max: 8500 }).map((value) => (value === 0 ? 0 : value / 100));
  const humidity = fc.nat(10_000).map((value) => value / 100);
  itReadsBack(codec, fc.record({ temperature, humidity }));

  it('reads any bytes without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (array) => {
        decodeReading(Buffer.from(array));
        decodeBattery(Buffer.from(array));
      }),
    );
  });
});
