import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { parse, stringify } from 'yaml';
import { decodeSpecs } from '../../../simulators/control/index.js';
import { BumbleDevice } from '../../../simulators/lab/import/bumble.js';
import { importFile } from '../../../simulators/lab/import/import.js';
import { NrfConnectSetup } from '../../../simulators/lab/import/nrf-connect.js';
import { bodies } from '../../load/fuzz/values.js';
import { left, right } from '../../support/either.js';
import { bytes } from '../../support/hci-host.js';
import { rows } from '../../support/rows.js';

const known = {
  uuid: ['1800', '1801', '2A00', '2A01', '180D', '6E400001-B5A3-F393-E0A9-E50E24DCCA9E'],
  descriptor_type: ['2901', '2902', '2903'],
  name: ['', 'Bulb', 'x'.repeat(29), 'x'.repeat(30), 'x'.repeat(248), '\ud800'],
  advertising_data: [
    `1fff${'00'.repeat(30)}`,
    '',
    '020106',
    '02010603030d18',
    '050942756c62',
    `1eff${'00'.repeat(29)}`,
  ],
  scan_response_data: ['', '0201060201050403080000', '050942756c620303180f', '051640180102', '020a04'],
};

describe('A file of another program', () => {
  for (const [program, { schema }] of Object.entries({
    Bumble: BumbleDevice,
    'nRF Connect': NrfConnectSetup,
  })) {
    it(`of ${program}, whole, changed or broken, is a device that can be made, or refused`, () => {
      let taken = 0;
      fc.assert(
        fc.property(bodies(schema.input, known), (file) => {
          const imported = importFile(file);
          if (E.isLeft(imported)) {
            expect(imported.left.message).to.match(/^\S.* (?:is|has|must|are|configures) /su);
            return;
          }
          taken += 1;
          const { device } = imported.right;
          right(decodeSpecs([device]));
          expect(parse(stringify(device))).to.deep.equal(device);
        }),
        { numRuns: 2000 },
      );
      expect(taken).to.be.above(0);
    });
  }

  // XML as nRF Connect for Mobile exports: macros (documentation/Macros of Android-nRF-Connect) and server configurations.
  const refused = rows(
    3,
    `
    a macro in XML           | 3c 6d 61 63 72 6f          | it is XML or HTML instead of JSON: import reads setups of nRF Connect for Desktop, not of nRF Connect for Mobile
    XML after a BOM          | ef bb bf 0a 3c             | it is XML or HTML
    UTF-16                   | ff fe 7b 00                | it is not text in UTF-8
    a program                | 69 6d 70 6f 72 74          | it is not valid JSON: Unexpected token 'i'
    a truncated object       | 7b                         | it is not valid JSON
    `,
  );
  for (const [title, file, message] of refused) {
    it(`is refused if it is ${title}`, () => {
      expect(left(importFile(bytes(file === '-' ? '' : file))).message).to.contain(message);
    });
  }

  it('is read after the mark of its byte order', () => {
    const file = Buffer.from('\ufeff{"name":"Bulb","keystore":"JsonKeyStore"}');
    expect(right(importFile(file)).device.name).to.equal('Bulb');
  });

  it('may be nested 100,000 times', () => {
    const nested = (open: string, close: string) =>
      importFile(Buffer.from(open.repeat(100_000) + '1' + close.repeat(100_000)));
    expect(left(nested('[', ']')).message).to.equal(
      'the file must be a JSON object, got something nested too deeply',
    );
    expect(left(nested('{"gatt_services":', '}')).message).to.equal(
      'gatt_services must be an array of services, got something nested too deeply',
    );
    expect(left(nested('{"children":', '}')).message).to.match(/^children\.children\.uuid is missing/);
    expect(
      right(importFile(Buffer.from(`{"irk":${'['.repeat(100_000)}${']'.repeat(100_000)}}`))).leftOut,
    ).to.deep.equal(['irk']);
  });

  it('may have names of parts of JavaScript', () => {
    const bumble = '{"address":"F0:F1:F2:F3:F4:F5","__proto__":{"kind":"gatt"},"constructor":1}';
    expect(right(importFile(Buffer.from(bumble))).leftOut).to.deep.equal(['__proto__', 'constructor']);
    const properties = '{"read":true,"constructor":true,"__proto__":true}';
    const setup = `{"children":{"a":{"uuid":"180f","children":{"b":{"uuid":"2a19","properties":${properties}}}}}}`;
    const { device, leftOut } = right(importFile(Buffer.from(setup)));
    expect(leftOut).to.deep.equal(['b properties.constructor', 'b properties.__proto__']);
    right(decodeSpecs([device]));
  });
});
