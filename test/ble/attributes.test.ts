import * as E from 'fp-ts/lib/Either.js';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { discoverAll, type FoundService } from '../../src/ble/noble/attributes.js';
import { bytes, text } from '../support/hci-host.js';

const SERVICES = '10 01 00 ff ff 00 28';
const CHARACTERISTICS = '08 01 00 ff ff 03 28';
const DESCRIPTORS = '04 04 00 ff ff';

/** One service 0x1234 of all handles, with one characteristic 0xAAAA and its client configuration. */
const DEVICE = {
  [SERVICES]: '11 06 01 00 ff ff 34 12',
  [CHARACTERISTICS]: '09 07 02 00 12 03 00 aa aa',
  [DESCRIPTORS]: '05 01 04 00 02 29',
};

const services: readonly FoundService[] = [
  {
    ...{ handle: 1, uuid: '1234' },
    characteristics: [
      { handle: 3, uuid: 'aaaa', properties: 0x12, descriptors: [{ handle: 4, uuid: '2902' }] },
    ],
  },
];

/** The discovery of a device that answers by a script, and with Attribute Not Found otherwise. */
const discover = (script: Readonly<Record<string, string>>) =>
  discoverAll((request) => {
    const refusal = `01 ${text(request).slice(0, 8)} 0a`;
    return Promise.resolve(bytes(script[text(request)] ?? refusal));
  });

describe('The discovery of all attributes', () => {
  it('finds services with their characteristics and descriptors', async () => {
    expect(await discover(DEVICE)).to.deep.equal(E.right(services));
  });

  for (const [request, name] of [
    [SERVICES, 'services'],
    [CHARACTERISTICS, 'characteristics'],
    [DESCRIPTORS, 'descriptors'],
  ] as const) {
    it(`fails when the device refuses to list its ${name}`, async () => {
      expect(await discover({ ...DEVICE, [request]: `01 ${request.slice(0, 8)} 0f` })).to.deep.equal(
        E.left({ reason: 'the device refused: insufficient encryption (0x0F)', error: 0x0f }),
      );
    });
  }

  for (const [request, response, shown] of [
    [SERVICES, '11 04 01 00 ff ff', '11040100ffff'],
    [SERVICES, '11', '11'],
    [CHARACTERISTICS, '09 05 02 00 12 03 00', '09050200120300'],
    [CHARACTERISTICS, '09 02 02 00', '09020200'],
    [DESCRIPTORS, '05 01 04 00 02', '0501040002'],
  ] as const) {
    it(`fails when the response to ${request} is ${response}, and names the bytes`, async () => {
      expect(await discover({ ...DEVICE, [request]: response })).to.deep.equal(
        E.left({ reason: `the response makes no sense: ${shown}` }),
      );
    });
  }
});
