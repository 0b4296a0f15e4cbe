import { expect } from 'chai';
import { describe, it } from 'mocha';
import { decodeSpecs } from '../../../simulators/control/index.js';
import { fixedValue } from '../../../simulators/devices/described/description/make-values.js';
import type { Part } from '../../../simulators/devices/described/description/values.js';
import { left, right } from '../../support/either.js';
import { jsonOf, rows } from '../../support/rows.js';

const refusalOf = (device: object): string => left(decodeSpecs([{ kind: 'gatt', ...device }])).message;

const withCharacteristic = (characteristic: object) => ({
  services: [{ uuid: '180f', characteristics: [{ uuid: '2a19', properties: ['read'], ...characteristic }] }],
});

describe('The description of a device', () => {
  // `at`: fields of the characteristic of `withCharacteristic`.
  const wrong = rows(
    2,
    `
    {"services":[{"uuid":1809,"characteristics":[]}]}     | services[0].uuid must be a UUID of 4 or 32 hex digits in quotes, such as "2a37", got 1809
    {"at":{"value":"abc"}}                                | AT.value must be a text of at most 512 pairs of hex digits, in quotes, got "abc"
    {"at":{"value":{"u8":1,"u16le":2}}}                   | AT.value must have exactly one of
    {"at":{"value":{"u8":{"ramp":{"from":0,"to":300}}}}}  | AT.value.u8.ramp.to must be a whole number from 0 to 255, got 300
    {"at":{"value":{"u8":{"noise":{"around":250,"by":10}}}}} | AT.value.u8.noise must stay within 0 and 255, and goes from 240 to 260
    {"at":{"value":{"text":"${'x'.repeat(513)}"}}}        | AT.value must be at most 512 octets long, got 513
    {"at":{"notify":{"every_ms":10}}}                     | AT has notify, which needs the property notify or indicate
    {"at":{"permissions":{"read":"authenticated"}}}       | pairing.io must be one of display, yes_no, keyboard, keyboard_display where something must be authenticated, got none
    {"pairing":{"min_key_size":16,"max_key_size":7}}      | pairing.min_key_size must be at most max_key_size, 7, got 16
    {"name":"","advertising":{"manufacturer_data":[{"company":76,"value":"${'00'.repeat(26)}"}]}} | advertising must be at most 31 octets long, got 33
    {"name":"${'n'.repeat(40)}"}                          | advertising.scan_response with the name must be at most 31 octets long, got 42
    {"name":"${'é'.repeat(125)}","advertising":{"name":false}} | name must be at most 248 octets long, got 250
    {"at":{"description":"${'é'.repeat(257)}"}}           | AT has a description that must be at most 512 octets long, got 514
    `,
  );
  for (const [described, message] of wrong) {
    it(`is refused with a message: ${message.slice(0, 110)}`, () => {
      const { at, ...device } = jsonOf(described) as { readonly at?: object };
      expect(refusalOf(at === undefined ? device : withCharacteristic(at))).to.contain(
        `device 1: ${message.replace('AT', 'services[0].characteristics[0]')}`,
      );
    });
  }

  it('is refused with two characteristics of one id, or an answer that notifies an unknown characteristic', () => {
    const report = { uuid: '2a4d', properties: ['write'] };
    expect(refusalOf({ services: [{ uuid: '1812', characteristics: [report, report] }] })).to.contain(
      'services have two characteristics with the id 2a4d',
    );
    expect(
      refusalOf(
        withCharacteristic({
          properties: ['write'],
          on_write: [{ notify: [{ characteristic: 'tx', value: '00' }] }],
        }),
      ),
    ).to.contain('on_write notifies tx, which is not an id of a characteristic: use one of 2a19');
  });

  it('needs nothing but its kind', () => {
    expect(right(decodeSpecs([{ kind: 'gatt' }]))).to.have.length(1);
  });

  // Layouts: little-endian unless the name ends in be; IEEE 11073 as in the Personal Health Devices Transcoding White Paper.
  const octets: readonly (readonly [part: Part, hex: string])[] = [
    [{ u24le: 0x010203 }, '030201'],
    [{ s24be: -2 }, 'fffffe'],
    [{ s32le: -1 }, 'ffffffff'],
    [{ u48le: 0x0102030405 }, '050403020100'],
    [{ f32le: 1.5 }, '0000c03f'],
    [{ f64be: -2 }, 'c000000000000000'],
    [{ sfloat: 114 }, '7200'],
    [{ sfloat: 36.4 }, '6cf1'],
    [{ sfloat: -0.5 }, 'fbff'],
    [{ sfloat: 20_000 }, 'd017'],
    [{ float: 36.4 }, '6c0100ff'],
    [{ float: 0 }, '00000000'],
    [{ text: 'é' }, 'c3a9'],
  ];
  for (const [part, hex] of octets) {
    it(`encodes ${JSON.stringify(part)} as ${hex}`, () => {
      expect(fixedValue([part]).toString('hex')).to.equal(hex);
    });
  }
});
