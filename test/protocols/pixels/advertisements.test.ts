import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as E from 'fp-ts/lib/Either.js';
import {
  decodeManufacturerData,
  decodeServiceData,
  defaultName,
  encodeManufacturerData,
  encodeServiceData,
  profileIds,
  SERVICE_DATA_UUID,
  type AdvertisedState,
} from '../../../src/protocols/pixels/index.js';
import { itRefuses, itWritesAndReads } from '../../support/codec-cases.js';
import { bytes } from '../../support/hci-host.js';

const d20: AdvertisedState = {
  profile: 'current',
  ledCount: 20,
  dieType: 'd20',
  colorway: 'midnight_galaxy',
  rollState: 'onFace',
  faceIndex: 19,
  battery: 80,
  charging: false,
};

const states: readonly (readonly [string, string, AdvertisedState])[] = [
  ['a current die', '390D 14 73 05 13 50', d20],
  ['a legacy die', 'FFFF 14 73 05 13 50', { ...d20, profile: 'legacy' }],
  [
    'a die on its charger',
    'FFFF 14 73 01 00 E4',
    { ...d20, profile: 'legacy', rollState: 'rolled', faceIndex: 0, battery: 100, charging: true },
  ],
  [
    'a custom colorway, which hides the type',
    'FFFF 14 FF 05 13 50',
    { ...d20, profile: 'legacy', dieType: 'unknown', colorway: 'custom' },
  ],
  [
    'a die without a colorway',
    '390D 06 90 02 05 01',
    {
      ...{ ...d20, ledCount: 6, dieType: 'fudge', colorway: null },
      ...{ rollState: 'handling', faceIndex: 5, battery: 1 },
    },
  ],
];

const identities = `
  a current die | 78563412 D05E7867 | { pixelId: 305419896, builtAt: "2025-01-03T22:04:00Z" }
  a legacy die  | 78563412 FCBA2C67 | { pixelId: 305419896, builtAt: "2024-11-07T13:05:00Z" }
`;

const refused = `
  another company             | 4C00 14 73 05 13 50 | no dice of this maker have the company id 0x004C
  data without a battery      | FFFF 14 73 05 13    | manufacturer data must have at least 7 bytes, got 6
  an impossible battery level | FFFF 14 73 05 13 7F | the battery level must be 0 to 100, got 127
`;

describe('Pixels protocol: advertisements', () => {
  describe('of the state', () => {
    const codec = { encode: encodeManufacturerData, decode: decodeManufacturerData };
    itWritesAndReads(codec, states);
    itRefuses(codec, refused);
  });

  describe('of the identity', () => {
    const codec = { encode: encodeServiceData, decode: decodeServiceData };
    itWritesAndReads(codec, identities);
    const message = 'service data must have at least 8 bytes, got 7';
    itRefuses(codec, `too few bytes | 78563412 D05E78 | ${message}`);
  });

  it('reads longer data, unknown types and unknown colorways', () => {
    expect(decodeManufacturerData(bytes('390D 14 A8 09 13 50 00'))).to.deep.equal(
      E.right({ ...d20, dieType: 'unknown', colorway: null, rollState: 'unknown' }),
    );
  });

  it('has the UUIDs of both profiles', () => {
    const uuid = (text: string): string => text.replaceAll('-', '');
    expect(profileIds).to.deep.equal({
      legacy: {
        service: uuid('6e400001-b5a3-f393-e0a9-e50e24dcca9e'),
        notify: uuid('6e400001-b5a3-f393-e0a9-e50e24dcca9e'),
        write: uuid('6e400002-b5a3-f393-e0a9-e50e24dcca9e'),
        companyId: 0xffff,
      },
      current: {
        service: uuid('a6b90001-7a5a-43f2-a962-350c8edc9b5b'),
        notify: uuid('a6b90002-7a5a-43f2-a962-350c8edc9b5b'),
        write: uuid('a6b90003-7a5a-43f2-a962-350c8edc9b5b'),
        companyId: 0x0d39,
      },
    });
    expect(SERVICE_DATA_UUID).to.equal('180a');
  });

  it('names a die by its id with all eight digits', () => {
    expect(defaultName(0xab)).to.equal('Pixel000000ab');
    expect(defaultName(0xffffffff)).to.equal('Pixelffffffff');
  });
});
