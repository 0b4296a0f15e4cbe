import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import {
  CLOCK_NAME,
  decodeMiBeacon,
  decodeReadingAdvertisement,
  encodeMiBeacon,
  encodeReadingAdvertisement,
  isClockName,
  type ReadingAdvertisement,
} from '../../../src/protocols/cgd1/index.js';
import { itReadsBack, itRefuses, itWritesAndReads } from '../../support/codec-cases.js';
import { bytes } from '../../support/hci-host.js';

/** Captures of real clocks, published by their owners: see docs/cgd1-protocol.md §1.1. */
const captures = `
  080cd0a050342d580104c0007c02 | 080cd0a050342d580104c0007c02 | { address: "58:2D:34:50:A0:D0", temperature: 19.2, humidity: 63.6, battery: null, header: 8, batteryFlag: false }
  080caffd50342d5801040a017f0202012a | 080caffd50342d5801040a017f0202012a | { address: "58:2D:34:50:FD:AF", temperature: 26.6, humidity: 63.9, battery: 42, header: 8, batteryFlag: false }
  080caffd50342d5801040d019e020201aa | 080caffd50342d5801040d019e020201aa | { address: "58:2D:34:50:FD:AF", temperature: 26.9, humidity: 67, battery: 42, header: 8, batteryFlag: true }
  080caffd50342d5801040e019102020155 | 080caffd50342d5801040e019102020155 | { address: "58:2D:34:50:FD:AF", temperature: 27, humidity: 65.7, battery: 85, header: 8, batteryFlag: false }
  080c344d56342d58010420 01b201020164 | 080c344d56342d58010420 01b201020164 | { address: "58:2D:34:56:4D:34", temperature: 28.8, humidity: 43.4, battery: 100, header: 8, batteryFlag: false }
  880c523886342d580104c8000502020150 | 880c523886342d580104c8000502020150 | { address: "58:2D:34:86:38:52", temperature: 20, humidity: 51.7, battery: 80, header: 136, batteryFlag: false }
`;

const refused = `
  nothing                     | -                                    | the advertisement must have at least 8 bytes, got 0
  half a header               | 08 0C D0 A0                          | the advertisement must have at least 8 bytes, got 4
  another product             | 081ed0a050342d580104c0007c02         | the product id must be 0C, got 1E
  an address alone            | 080cd0a050342d58                     | the advertisement must hold a reading
  a reading cut short         | 080cd0a050342d580104c000             | the advertisement is cut short: 01 04 C0 00
  a type without a length     | 080cd0a050342d5801                   | the advertisement is cut short: 01
  a reading of another length | 080cd0a050342d580102c000             | the advertisement must hold a reading
  a battery of two bytes      | 080cd0a050342d580104c0007c0202022a00 | the battery level must have 1 byte, got 2
  a battery of 101 %          | 080cd0a050342d580104c0007c02020165   | the battery level must be 0 to 100, got 101
`;

const address = fc
  .uint8Array({ minLength: 6, maxLength: 6 })
  .map((array) => [...array].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':'));
const advertisement: fc.Arbitrary<ReadingAdvertisement> = fc
  .record({
    address,
    temperature: fc.integer({ min: -400, max: 850 }).map((value) => (value === 0 ? 0 : value / 10)),
    humidity: fc.nat(1000).map((value) => value / 10),
    battery: fc.option(fc.nat(100)),
    header: fc.constantFrom(0x08, 0x88),
    batteryFlag: fc.boolean(),
  })
  .map((value) => ({ ...value, batteryFlag: value.battery !== null && value.batteryFlag }));

describe('clock protocol: advertisements', () => {
  const codec = { encode: encodeReadingAdvertisement, decode: decodeReadingAdvertisement };
  itWritesAndReads(codec, captures);
  itRefuses(codec, refused);
  itReadsBack(codec, advertisement);

  const beaconCodec = { encode: encodeMiBeacon, decode: decodeMiBeacon };
  itWritesAndReads(
    beaconCodec,
    'the packet of Xiaomi of an unbound clock | 30 58 76 05 2C D0 A0 50 34 2D 58 08 | { address: "58:2D:34:50:A0:D0", counter: 44 }',
  );
  itRefuses(
    beaconCodec,
    `
    the packet of Xiaomi of a bound clock    | 58 58 76 05 2C D0 A0 50 34 2D 58 08 | the beacon must be that of an unbound clock, got 58 58 76 05 2C D0 A0 50 34 2D 58 08
    the packet of Xiaomi of another device   | 30 58 76 05 2C D0 A0 50 34 2D 58 09 | the beacon must be that of an unbound clock, got 30 58 76 05 2C D0 A0 50 34 2D 58 09
    a packet of Xiaomi cut short             | 30 58 76 05                         | the beacon must have 12 bytes, got 4
    `,
  );
  itReadsBack(beaconCodec, fc.record({ address, counter: fc.nat(255) }));

  it('reads a temperature below zero', () => {
    const read = decodeReadingAdvertisement(bytes('080cd0a050342d5801049dffe703'));
    expect(E.isRight(read) && read.right).to.deep.include({ temperature: -9.9, humidity: 99.9 });
  });

  it('skips unknown types', () => {
    const read = decodeReadingAdvertisement(bytes('080cd0a050342d58 0f0100 0104c0007c02 0800'));
    expect(E.isRight(read) && read.right).to.deep.include({ temperature: 19.2, battery: null });
  });

  it('recognises the name with and without the NUL of the air', () => {
    const onAir = bytes('51 69 6E 67 70 69 6E 67 20 41 6C 61 72 6D 20 43 6C 6F 63 6B 00').toString('latin1');
    expect(isClockName(onAir)).to.be.true;
    expect(isClockName(CLOCK_NAME)).to.be.true;
    expect(isClockName(`${CLOCK_NAME}\0\0`)).to.be.true;
    for (const other of ['Qingping Alarm', 'Qingping\0 Alarm Clock', `\0${CLOCK_NAME}`]) {
      expect(isClockName(other), JSON.stringify(other)).to.be.false;
    }
  });

  it('reads any bytes without throwing', () => {
    const header = bytes('080cd0a050342d58');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 18 }), (array) => {
        decodeReadingAdvertisement(Buffer.from(array));
        decodeReadingAdvertisement(Buffer.concat([header, array]));
        decodeMiBeacon(Buffer.from(array));
      }),
      { numRuns: 2000 },
    );
  });
});
