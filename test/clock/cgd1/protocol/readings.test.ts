import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import {
  decodeBattery,
  decodeReading,
  encodeBattery,
  encodeReading,
} from '../../../../src/clock/cgd1/protocol/index.js';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('clock protocol: readings', () => {
  for (const [hex, temperature, humidity] of [
    ['00 29 09 7E 11', 23.45, 44.78],
    ['00 00 00 00 00', 0, 0],
    ['00 22 FC 06 27', -9.9, 99.9],
    ['00 FF FF 10 27', -0.01, 100],
  ] as const) {
    it(`writes and reads ${temperature} °C, ${humidity} %`, () => {
      expect(encodeReading({ temperature, humidity })).to.deep.equal(bytes(hex));
      expect(decodeReading(bytes(hex))).to.deep.equal(E.right({ temperature, humidity }));
    });
  }

  for (const hex of ['', '00 29 09 7E', '00 29 09 7E 11 64', '01 29 09 7E 11']) {
    it(`refuses ${hex === '' ? 'nothing' : hex}`, () => {
      expect(decodeReading(bytes(hex))).to.deep.equal(
        E.left({
          _tag: 'ParseError',
          code: 'invalid_input',
          message: `a reading must have 5 bytes and begin with 00, got ${hex === '' ? '(empty)' : hex}`,
        }),
      );
    });
  }

  it('writes and reads a battery', () => {
    expect(encodeBattery(99)).to.deep.equal(bytes('63'));
    expect(decodeBattery(bytes('63'))).to.deep.equal(E.right(99));
    expect(decodeBattery(bytes('64'))).to.deep.equal(E.right(100));
    for (const hex of ['(empty)', '65', '63 00']) {
      expect(decodeBattery(bytes(hex === '(empty)' ? '' : hex))).to.deep.equal(
        E.left({
          _tag: 'ParseError',
          code: 'invalid_input',
          message: `a battery level must be one byte, 0 to 100, got ${hex}`,
        }),
      );
    }
  });

  it('reads back hundredths', () => {
    const temperature = fc.integer({ min: -4000, max: 8500 }).map((value) => (value === 0 ? 0 : value / 100));
    const humidity = fc.nat(10_000).map((value) => value / 100);
    fc.assert(
      fc.property(fc.record({ temperature, humidity }), (reading) => {
        expect(decodeReading(encodeReading(reading))).to.deep.equal(E.right(reading));
      }),
    );
  });

  it('takes any bytes without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (array) => {
        decodeReading(Buffer.from(array));
        decodeBattery(Buffer.from(array));
      }),
    );
  });
});
