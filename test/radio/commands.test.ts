import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { commandSpecs, type CommandName } from '../../src/ble/hci/commands.js';
import { EventCode } from '../../src/ble/hci/packets.js';
import type { Air } from '../../simulators/radio/index.js';
import { encodeCommandComplete, encodeCommandStatus } from '../../simulators/radio/host/event-packets.js';
import { goldenCommands, goldenPacket } from '../support/golden-commands.js';
import { bytes, isEvent, text, type AirHost } from '../support/hci-host.js';
import { hostOn, stillAir } from '../support/hci-scenes.js';

/** AES-128 of the golden command's block, computed by another implementation (OpenSSL), least significant octet first. */
const AES = 'E7 53 6B 21 06 17 32 FD 8A 58 49 AE 8F 1F 37 DD';

/** The answers of a controller without links to the golden commands, typed by hand from Core 5.4 Vol 4 Part E 7. */
const answers: Readonly<Record<Exclude<CommandName, 'leRand'>, string>> = {
  disconnect: '04 0F 04 02 01 06 04',
  readRemoteVersion: '04 0F 04 02 01 1D 04',
  setEventMask: '04 0E 04 01 01 0C 00',
  reset: '04 0E 04 01 03 0C 00',
  readTransmitPowerLevel: '04 0E 07 01 2D 0C 02 40 00 00',
  setEventMaskPage2: '04 0E 04 01 63 0C 00',
  readLeHostSupport: '04 0E 06 01 6C 0C 00 00 00',
  writeLeHostSupport: '04 0E 04 01 6D 0C 00',
  // Bluetooth 5.4 is 0x0D; 0xFFFF is the company identifier for tests.
  readLocalVersion: '04 0E 0C 01 01 10 00 0D 01 00 0D FF FF 01 00',
  readLocalSupportedCommands:
    '04 0E 44 01 02 10 00 20 00 80 00 00 C0 00 00 00 00 04 00 00 00 B8 22 00 00 00 00 00 00 04 00 60 F7 FF FF 0F ' +
    `00 00 00 00 F0 FF 7F FE E3 80 04 ${'00'.repeat(24)}`,
  readLocalSupportedFeatures: '04 0E 0C 01 03 10 00 00 00 00 00 60 00 00 00',
  readBufferSize: '04 0E 0B 01 05 10 00 FB 00 00 08 00 00 00',
  readBdAddr: '04 0E 0A 01 09 10 00 01 00 00 B0 A1 02',
  readRssi: '04 0E 07 01 05 14 02 40 00 00',
  leSetEventMask: '04 0E 04 01 01 20 00',
  leReadBufferSize: '04 0E 07 01 02 20 00 FB 00 08',
  // Bits 0 to 3, 5 to 8, 11, 12 and 14 of Core 5.4 Vol 6 Part B 4.6.
  leReadLocalSupportedFeatures: '04 0E 0C 01 03 20 00 EF 59 00 00 00 00 00 00',
  leSetRandomAddress: '04 0E 04 01 05 20 00',
  leSetAdvertisingParameters: '04 0E 04 01 06 20 00',
  leReadAdvertisingTxPower: '04 0E 05 01 07 20 00 00',
  leSetAdvertisingData: '04 0E 04 01 08 20 00',
  leSetScanResponseData: '04 0E 04 01 09 20 00',
  leSetAdvertisingEnable: '04 0E 04 01 0A 20 00',
  leSetScanParameters: '04 0E 04 01 0B 20 00',
  leSetScanEnable: '04 0E 04 01 0C 20 00',
  leCreateConnection: '04 0F 04 00 01 0D 20',
  leCreateConnectionCancel: '04 0E 04 01 0E 20 0C',
  leReadFilterAcceptListSize: '04 0E 05 01 0F 20 00 10',
  leClearFilterAcceptList: '04 0E 04 01 10 20 00',
  leAddToFilterAcceptList: '04 0E 04 01 11 20 00',
  leRemoveFromFilterAcceptList: '04 0E 04 01 12 20 00',
  leConnectionUpdate: '04 0F 04 02 01 13 20',
  leSetHostChannelClassification: '04 0E 04 01 14 20 00',
  leReadChannelMap: '04 0E 0B 01 15 20 02 41 00 00 00 00 00 00',
  leReadRemoteFeatures: '04 0F 04 02 01 16 20',
  leEncrypt: `04 0E 14 01 17 20 00 ${AES}`,
  leEnableEncryption: '04 0F 04 02 01 19 20',
  leLongTermKeyRequestReply: '04 0E 06 01 1A 20 02 41 00',
  leLongTermKeyRequestNegativeReply: '04 0E 06 01 1B 20 02 41 00',
  leReadSupportedStates: '04 0E 0C 01 1C 20 00 FF FF FF FF FF 03 00 00',
  leRemoteConnectionParameterRequestReply: '04 0E 06 01 20 20 02 41 00',
  leRemoteConnectionParameterRequestNegativeReply: '04 0E 06 01 21 20 02 41 00',
  leSetDataLength: '04 0E 06 01 22 20 02 41 00',
  // 27 octets, 328 µs.
  leReadSuggestedDefaultDataLength: '04 0E 08 01 23 20 00 1B 00 48 01',
  leWriteSuggestedDefaultDataLength: '04 0E 04 01 24 20 00',
  leReadLocalP256PublicKey: '04 0F 04 00 01 25 20',
  leGenerateDhKey: '04 0F 04 00 01 26 20',
  leAddToResolvingList: '04 0E 04 01 27 20 00',
  leRemoveFromResolvingList: '04 0E 04 01 28 20 02',
  leClearResolvingList: '04 0E 04 01 29 20 00',
  leReadResolvingListSize: '04 0E 05 01 2A 20 00 10',
  leReadPeerResolvableAddress: '04 0E 0A 01 2B 20 02 00 00 00 00 00 00',
  leReadLocalResolvableAddress: '04 0E 0A 01 2C 20 02 00 00 00 00 00 00',
  leSetAddressResolutionEnable: '04 0E 04 01 2D 20 00',
  leSetResolvableAddressTimeout: '04 0E 04 01 2E 20 00',
  // 251 octets, 17,040 µs on the Coded PHY.
  leReadMaximumDataLength: '04 0E 0C 01 2F 20 00 FB 00 90 42 FB 00 90 42',
  leReadPhy: '04 0E 08 01 30 20 02 41 00 00 00',
  leSetDefaultPhy: '04 0E 04 01 31 20 00',
  leSetPhy: '04 0F 04 02 01 32 20',
  leSetAdvertisingSetRandomAddress: '04 0E 04 01 35 20 42',
  leSetExtendedAdvertisingParameters: '04 0E 05 01 36 20 00 00',
  leSetExtendedAdvertisingData: '04 0E 04 01 37 20 42',
  leSetExtendedScanResponseData: '04 0E 04 01 38 20 42',
  leSetExtendedAdvertisingEnable: '04 0E 04 01 39 20 42',
  leReadMaximumAdvertisingDataLength: '04 0E 06 01 3A 20 00 72 06',
  leReadNumberOfAdvertisingSets: '04 0E 05 01 3B 20 00 08',
  leRemoveAdvertisingSet: '04 0E 04 01 3C 20 42',
  leClearAdvertisingSets: '04 0E 04 01 3D 20 00',
  leSetExtendedScanParameters: '04 0E 04 01 41 20 00',
  leSetExtendedScanEnable: '04 0E 04 01 42 20 00',
  leExtendedCreateConnection: '04 0F 04 00 01 43 20',
  leReadTransmitPower: '04 0E 06 01 4B 20 00 00 00',
  leSetPrivacyMode: '04 0E 04 01 4E 20 02',
};

/** Commands whose result is a separate event. */
const laterEvents = new Set<CommandName>(['leReadLocalP256PublicKey', 'leGenerateDhKey']);

/** Commands whose Connection_Handle follows the Status of their Command Complete (Core 5.4 Vol 4 Part E 7). */
const namesItsLink = new Set<CommandName>([
  'readTransmitPowerLevel',
  'readRssi',
  'leReadChannelMap',
  'leLongTermKeyRequestReply',
  'leLongTermKeyRequestNegativeReply',
  'leRemoteConnectionParameterRequestReply',
  'leRemoteConnectionParameterRequestNegativeReply',
  'leSetDataLength',
  'leReadPhy',
]);

const withBody = (packet: Buffer, body: Buffer): Buffer =>
  Buffer.concat([packet.subarray(0, 3), Buffer.from([body.length]), body]);

describe('A controller', () => {
  let air: Air;
  let host: AirHost;

  beforeEach(async () => {
    ({ air } = stillAir());
    host = await hostOn(air, { address: '02:A1:B0:00:00:01' });
  });

  for (const { name, packet } of goldenCommands) {
    const golden = name === 'leRand' ? undefined : answers[name];
    it(`answers ${name} with ${golden ?? 'eight random octets'}`, async () => {
      const answer = await host.answer(packet);
      if (golden !== undefined) expect(text(answer)).to.equal(text(bytes(golden)));
      else expect([text(answer.subarray(0, 7)), answer.length]).to.deep.equal(['04 0e 0c 01 18 20 00', 15]);
      if (laterEvents.has(name)) await host.next(isEvent(EventCode.leMeta));
      expect(host.take(), 'anything more').to.deep.equal([]);
    });

    it(`answers ${name} of a wrong length with 0x12`, async () => {
      const { opcode, returns } = commandSpecs[name];
      const refusal = (body: Buffer): string => {
        if (returns === undefined) return text(encodeCommandStatus(opcode, 0x12));
        const values = Buffer.alloc(returns.size);
        if (namesItsLink.has(name)) body.copy(values, 0, 0, 2);
        return text(encodeCommandComplete(opcode, Buffer.concat([Buffer.from([0x12]), values])));
      };
      const body = packet.subarray(4);
      const lengths: Buffer[] = [Buffer.concat([body, Buffer.alloc(1)])];
      if (body.length > 0) lengths.push(body.subarray(0, -1), Buffer.alloc(0));
      for (const wrong of lengths) {
        expect(text(await host.answer(withBody(packet, wrong)))).to.equal(refusal(wrong));
      }
    });
  }

  for (const { name, packet } of goldenCommands.filter((golden) => namesItsLink.has(golden.name))) {
    it(`answers ${name} that a fault refuses with 0x0D and its link`, async () => {
      const opcode = packet.readUInt16LE(1);
      air.faults.add({ type: 'refused_command', device: 'all', status: 0x0d, opcode });
      const refusal = answers[name as keyof typeof answers].replace(/^((?:\S+ ){6})02/, '$10D');
      expect(text(await host.answer(packet))).to.equal(text(bytes(refusal)));
    });
  }

  // Inquiry, Write Local Name and Write Scan Enable are BR/EDR's; 0x203E belongs to periodic advertising.
  for (const opcode of [0x0000, 0x0401, 0x0c13, 0x0c1a, 0x203e, 0x2060, 0xfc01]) {
    it(`answers unknown opcode 0x${opcode.toString(16).padStart(4, '0')} with 0x01`, async () => {
      const answer = await host.answer(Buffer.from([1, opcode & 0xff, opcode >> 8, 0]));
      expect(text(answer.subarray(3))).to.equal(text(Buffer.from([1, opcode & 0xff, opcode >> 8, 0x01])));
    });
  }

  it('returns the value of Write LE Host Supported, with its reserved second octet zero', async () => {
    await host.answer(goldenPacket('writeLeHostSupport'));
    const answer = await host.answer(goldenPacket('readLeHostSupport'));
    expect(text(answer)).to.equal('04 0e 06 01 6c 0c 00 01 00');
  });

  it('returns its public address, whatever random address was set', async () => {
    await host.answer(goldenPacket('leSetRandomAddress'));
    expect(await host.returned('readBdAddr', {})).to.deep.equal({ address: '02:A1:B0:00:00:01' });
  });
});
