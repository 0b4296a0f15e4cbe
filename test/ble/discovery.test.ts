import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { findProfile } from '../../src/ble/noble/attributes.js';
import { bytes } from '../support/hci-host.js';

const BATTERY = [{ service: '180f', characteristics: ['2a19'] }];
/** A service with the handles 1 to 4, and its readable characteristic (Core 5.4 Vol 3 Part F 3.4.4.2 and 3.4.4.10). */
const SERVICE = '11 06 01 00 04 00 0F 18';
const CHARACTERISTIC = '09 07 02 00 02 03 00 19 2A';
/** Errors of a search: attribute not found, and invalid handle. */
const END = '01 10 05 00 0A';
const INVALID = '01 10 05 00 01';

describe('The discovery of a profile', () => {
  const handles = { startHandle: 2, valueHandle: 3, endHandle: 4 };
  const battery = E.right(new Map([['2a19', { uuid: bytes('19 2A'), properties: 2, ...handles }]]));
  const invalid = E.left({ reason: 'the device refused: invalid handle (0x01)', error: 1 });
  for (const [title, responses, expected] of [
    ['finds a characteristic with its handles', [SERVICE, END, CHARACTERISTIC, END], battery],
    ['accepts any error at the end of a search', [SERVICE, INVALID, CHARACTERISTIC, INVALID], battery],
    ['fails without a service', [END], E.left({ reason: 'the device has no service 180f' })],
    ['fails with the error of the search for services', [INVALID], invalid],
    [
      'fails without a characteristic',
      [SERVICE, END, END],
      E.left({ reason: 'the device has no characteristic 2a19' }),
    ],
    ['fails with the error of the search for characteristics', [SERVICE, END, INVALID], invalid],
  ] as const)
    it(title, async () => {
      const next = responses.values();
      const send = () => Promise.resolve(bytes(next.next().value ?? ''));
      expect(await findProfile(send, BATTERY)).to.deep.equal(expected);
    });
});
