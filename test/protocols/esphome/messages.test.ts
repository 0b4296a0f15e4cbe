import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import {
  decodeMessage,
  DeviceRequestType,
  encodeMessage,
  messages,
  type AnyMessage,
  type Name,
} from '../../../src/protocols/esphome/messages.js';
import { left } from '../../support/either.js';

/** D1:B7:89:67:80:01 */
const ADDRESS = 0xd1b789678001n;

const one = <N extends AnyMessage['name']>(
  name: N,
  message: Partial<Extract<AnyMessage, { name: N }>['message']>,
  hex: string,
) => ({ name, message, hex }) as unknown as AnyMessage & { readonly hex: string };

/**
 * Made by Debian's protoc 3.21.12 of the protocol file (github.com/esphome/aioesphomeapi at 368a145f):
 * `echo 'client_info: "airbench" api_version_major: 1 api_version_minor: 15' | protoc --encode=HelloRequest api.proto | xxd -p`,
 * and so on; the names of some messages are longer there.
 */
const GOLDEN = [
  one(
    'HelloRequest',
    { clientInfo: 'airbench', apiVersionMajor: 1, apiVersionMinor: 15 },
    '0a0861697262656e63681001180f',
  ),
  one(
    'DeviceInfoResponse',
    {
      name: 'kitchen',
      macAddress: 'A0:B1:C2:D3:E4:F5',
      esphomeVersion: '2026.8.0',
      model: 'airbench',
      friendlyName: 'Kitchen',
      bluetoothProxyFeatureFlags: 247,
      bluetoothMacAddress: 'A0:B1:C2:D3:E4:F6',
      apiEncryptionSupported: true,
    },
    '12076b69746368656e1a1141303a42313a43323a44333a45343a46352208323032362e382e30320861697262656e63686a074b697463' +
      '68656e78f70192011141303a42313a43323a44333a45343a4636980101',
  ),
  one(
    'RawAdvertisementsResponse',
    {
      advertisements: [
        { address: ADDRESS, rssi: -60, addressType: 1, data: Uint8Array.of(2, 1, 6) },
        { address: 1n, rssi: 4, addressType: 0, data: Uint8Array.of() },
      ],
    },
    '0a110881809ecbf8b6341077180122030201060a0408011008',
  ),
  one(
    'DeviceRequest',
    { address: ADDRESS, requestType: DeviceRequestType.connect, addressType: 1 },
    '0881809ecbf8b63410052001',
  ),
  one('DeviceConnectionResponse', { address: ADDRESS, error: -1 }, '0881809ecbf8b63420ffffffffffffffffff01'),
  one(
    'DeviceConnectionResponse',
    { address: ADDRESS, connected: true, mtu: 247 },
    '0881809ecbf8b634100118f701',
  ),
  one(
    'GetServicesResponse',
    {
      address: ADDRESS,
      services: [
        {
          uuid: [7937439058092012067n, 12297829382473034410n],
          handle: 1,
          shortUuid: 0,
          characteristics: [
            {
              uuid: [],
              handle: 3,
              properties: 16,
              shortUuid: 0x2a00,
              descriptors: [{ uuid: [], handle: 4, shortUuid: 0x2902 }],
            },
          ],
        },
      ],
    },
    '0881809ecbf8b63412270a13a3e48adfcdd8dc936eaad5aad5aad5aad5aa0110011a0e1003181022051004188252288054',
  ),
  one(
    'WriteRequest',
    { address: ADDRESS, handle: 300, response: true, data: Uint8Array.of(3) },
    '0881809ecbf8b63410ac021801220103',
  ),
  one(
    'NotifyDataResponse',
    { address: ADDRESS, handle: 12, data: Uint8Array.of(0x52) },
    '0881809ecbf8b634100c1a0152',
  ),
  one(
    'ConnectionsFreeResponse',
    { free: 1, limit: 3, allocated: [ADDRESS, 2n] },
    '080110031a0881809ecbf8b63402',
  ),
  one('ScannerStateResponse', { state: 2, mode: 1, configuredMode: 1 }, '080210011801'),
  one(
    'SetConnectionParamsRequest',
    { address: ADDRESS, minInterval: 6, maxInterval: 12, timeout: 400 },
    '0881809ecbf8b6341006180c289003',
  ),
];

const heard = (rssi: number) => ({ address: ADDRESS, rssi, addressType: 1, data: Uint8Array.of(2, 1, 6) });

/** The same value, whatever else the library keeps in it. */
const plain = (message: unknown): unknown =>
  JSON.parse(
    JSON.stringify(message, (key, value: unknown) => {
      if (key === '$typeName') return undefined;
      return typeof value === 'bigint' ? `${value}n` : value;
    }),
  );

describe('Messages of the ESPHome API', () => {
  for (const { name, message, hex } of GOLDEN) {
    it(`${name} is written as another implementation writes it (${hex.slice(0, 28)})`, () => {
      const { id, payload } = encodeMessage(name, message);
      expect(Buffer.from(payload).toString('hex')).to.equal(hex);
      expect(id).to.equal(messages[name].id);
    });

    it(`${name} is read from the bytes of another implementation (${hex.slice(0, 28)})`, () => {
      const decoded = decodeMessage({
        id: messages[name].id,
        payload: Uint8Array.from(Buffer.from(hex, 'hex')),
      });
      expect(E.isRight(decoded) && decoded.right?.name).to.equal(name);
      expect(plain(E.isRight(decoded) && decoded.right?.message)).to.deep.include(plain(message));
    });
  }

  it('are passed over where they are of another subject', () => {
    expect(decodeMessage({ id: 12, payload: Uint8Array.of() })).to.deep.equal(E.right(undefined));
  });

  it('are refused with their name where they are cut short', () => {
    const decoded = decodeMessage({ id: 83, payload: Uint8Array.of(0x08, 0x81) });
    expect(left(decoded).reason).to.match(/^WriteResponse cannot be read: /);
  });

  for (const [name, message, reason] of [
    ['WriteResponse', { address: 2n ** 48n }, 'address 281474976710656, at most 281474976710655'],
    ['WriteResponse', { handle: 70_000 }, 'handle 70000, at most 65535'],
    ['NotifyDataResponse', { data: new Uint8Array(513) }, 'data of length 513, at most 512'],
    ['HelloResponse', { name: 'k'.repeat(256) }, 'name of length 256, at most 255'],
    [
      'RawAdvertisementsResponse',
      { advertisements: [heard(-129)] },
      'advertisements.rssi -129, at least -128',
    ],
    [
      'RawAdvertisementsResponse',
      { advertisements: Array.from({ length: 256 }, () => heard(-60)) },
      'advertisements 256 times, at most 255',
    ],
  ] as const)
    it(`are refused with ${reason}`, () => {
      const encoded = encodeMessage<Name>(name, message);
      expect(left(decodeMessage(encoded))).to.deep.equal({
        _tag: 'Excess',
        reason: `${name} with ${reason}`,
      });
    });
});
