import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import {
  decodeMessage,
  DeviceRequestType,
  encodeMessage,
  messages,
  type Name,
} from '../../../src/protocols/esphome/messages.js';
import { valueOf } from '../../support/codec-cases.js';
import { left, right } from '../../support/either.js';
import { rows } from '../../support/rows.js';

/** D1:B7:89:67:80:01 */
const ADDRESS = 0xd1b789678001n;

/**
 * Name, fields, bytes. The bytes come from Debian's protoc 3.21.12 and the protocol file (github.com/esphome/aioesphomeapi at 368a145f):
 * `echo 'client_info: "airbench" api_version_major: 1 api_version_minor: 15' | protoc --encode=HelloRequest api.proto | xxd -p`,
 * and so on; the names of some messages are longer there.
 */
const GOLDEN = rows(
  3,
  `
  HelloRequest | { clientInfo: "airbench", apiVersionMajor: 1, apiVersionMinor: 15 } | 0a0861697262656e63681001180f
  DeviceInfoResponse | { name: "kitchen", macAddress: "A0:B1:C2:D3:E4:F5", esphomeVersion: "2026.8.0", model: "airbench", friendlyName: "Kitchen", bluetoothProxyFeatureFlags: 247, bluetoothMacAddress: "A0:B1:C2:D3:E4:F6", apiEncryptionSupported: true } | 12076b69746368656e1a1141303a42313a43323a44333a45343a46352208323032362e382e30320861697262656e63686a074b69746368656e78f70192011141303a42313a43323a44333a45343a4636980101
  RawAdvertisementsResponse | { advertisements: [{ address: "${ADDRESS}n", rssi: -60, addressType: 1, data: "x020106" }, { address: "1n", rssi: 4, addressType: 0, data: "x" }] } | 0a110881809ecbf8b6341077180122030201060a0408011008
  DeviceRequest | { address: "${ADDRESS}n", requestType: ${DeviceRequestType.connect}, addressType: 1 } | 0881809ecbf8b63410052001
  DeviceConnectionResponse | { address: "${ADDRESS}n", error: -1 } | 0881809ecbf8b63420ffffffffffffffffff01
  DeviceConnectionResponse | { address: "${ADDRESS}n", connected: true, mtu: 247 } | 0881809ecbf8b634100118f701
  GetServicesResponse | { address: "${ADDRESS}n", services: [{ uuid: ["7937439058092012067n", "12297829382473034410n"], handle: 1, shortUuid: 0, characteristics: [{ uuid: [], handle: 3, properties: 16, shortUuid: 10752, descriptors: [{ uuid: [], handle: 4, shortUuid: 10498 }] }] }] } | 0881809ecbf8b63412270a13a3e48adfcdd8dc936eaad5aad5aad5aad5aa0110011a0e1003181022051004188252288054
  WriteRequest | { address: "${ADDRESS}n", handle: 300, response: true, data: "x03" } | 0881809ecbf8b63410ac021801220103
  NotifyDataResponse | { address: "${ADDRESS}n", handle: 12, data: "x52" } | 0881809ecbf8b634100c1a0152
  ConnectionsFreeResponse | { free: 1, limit: 3, allocated: ["${ADDRESS}n", "2n"] } | 080110031a0881809ecbf8b63402
  ScannerStateResponse | { state: 2, mode: 1, configuredMode: 1 } | 080210011801
  SetConnectionParamsRequest | { address: "${ADDRESS}n", minInterval: 6, maxInterval: 12, timeout: 400 } | 0881809ecbf8b6341006180c289003
  `,
);

const packet = (rssi: number) => ({ address: ADDRESS, rssi, addressType: 1, data: Uint8Array.of(2, 1, 6) });

/** The fields of a message, without the type names that the library adds. */
const fieldsOf = (message: object): object =>
  JSON.parse(
    JSON.stringify(message, (key, value: unknown) => {
      if (key === '$typeName') return undefined;
      if (value instanceof Uint8Array) return Buffer.from(value).toJSON();
      return typeof value === 'bigint' ? `${value}n` : value;
    }),
  ) as object;

describe('Messages of the ESPHome API', () => {
  for (const [name, fields, hex] of GOLDEN as readonly (readonly [Name, string, string])[]) {
    it(`${name} is written and read as by another implementation (${hex.slice(0, 28)})`, () => {
      const message = valueOf(fields) as object;
      const { id, payload } = encodeMessage<Name>(name, message);
      expect([id, Buffer.from(payload).toString('hex')]).to.deep.equal([messages[name].id, hex]);
      const decoded = right(decodeMessage({ id, payload: Buffer.from(hex, 'hex') }));
      expect(decoded?.name).to.equal(name);
      expect(fieldsOf(decoded?.message ?? {})).to.deep.include(fieldsOf(message));
    });
  }

  it('are ignored if they are about another subject', () => {
    expect(decodeMessage({ id: 12, payload: Uint8Array.of() })).to.deep.equal(E.right(undefined));
  });

  it('are refused with their name if they are cut short', () => {
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
      { advertisements: [packet(-129)] },
      'advertisements.rssi -129, at least -128',
    ],
    [
      'RawAdvertisementsResponse',
      { advertisements: Array.from({ length: 256 }, () => packet(-60)) },
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
