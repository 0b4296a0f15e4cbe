import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { commandSpecs, type CommandName } from '../../src/ble/hci/commands.js';
import { encodeCommandComplete, encodeCommandStatus } from '../../src/ble/hci/packets.js';
import { goldenCommands, goldenPacket } from '../support/golden-commands.js';
import { bytes, text, type AirHost } from '../support/hci-host.js';
import { hostOn, stillAir } from '../support/hci-scenes.js';

/** What a controller without links answers to the golden commands, typed by hand from Core 5.4 Vol 4 Part E 7. */
const answers: Readonly<Record<CommandName, string>> = {
  disconnect: '04 0F 04 02 01 06 04',
  setEventMask: '04 0E 04 01 01 0C 00',
  reset: '04 0E 04 01 03 0C 00',
  readLeHostSupport: '04 0E 06 01 6C 0C 00 00 00',
  writeLeHostSupport: '04 0E 04 01 6D 0C 00',
  // Bluetooth 5.4 is 0x0D; 0xFFFF is the company identifier for tests.
  readLocalVersion: '04 0E 0C 01 01 10 00 0D 01 00 0D FF FF 01 00',
  readLocalSupportedCommands:
    '04 0E 44 01 02 10 00 20 00 00 00 00 C0 00 00 00 00 00 00 00 00 B8 22 00 00 00 00 00 00 00 00 60 F7 3F 04 0F ' +
    `00 00 00 00 00 00 20 00 E0 ${'00'.repeat(26)}`,
  readLocalSupportedFeatures: '04 0E 0C 01 03 10 00 00 00 00 00 60 00 00 00',
  readBufferSize: '04 0E 0B 01 05 10 00 FB 00 00 08 00 00 00',
  readBdAddr: '04 0E 0A 01 09 10 00 01 00 00 B0 A1 02',
  readRssi: '04 0E 07 01 05 14 02 00 00 00',
  leSetEventMask: '04 0E 04 01 01 20 00',
  leReadBufferSize: '04 0E 07 01 02 20 00 FB 00 08',
  leReadLocalSupportedFeatures: '04 0E 0C 01 03 20 00 01 00 00 00 00 00 00 00',
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
  leConnectionUpdate: '04 0F 04 02 01 13 20',
  leEnableEncryption: '04 0F 04 02 01 19 20',
  leLongTermKeyRequestReply: '04 0E 06 01 1A 20 02 00 00',
  leLongTermKeyRequestNegativeReply: '04 0E 06 01 1B 20 02 00 00',
  leReadSupportedStates: '04 0E 0C 01 1C 20 00 FF FF FF FF FF 03 00 00',
  leSetDefaultPhy: '04 0E 04 01 31 20 00',
  leSetExtendedScanParameters: '04 0E 04 01 41 20 00',
  leSetExtendedScanEnable: '04 0E 04 01 42 20 00',
  leExtendedCreateConnection: '04 0F 04 00 01 43 20',
};

const withBody = (packet: Buffer, body: Buffer): Buffer =>
  Buffer.concat([packet.subarray(0, 3), Buffer.from([body.length]), body]);

describe('A controller answers', () => {
  let host: AirHost;

  beforeEach(async () => {
    host = await hostOn(stillAir().air, { address: '02:A1:B0:00:00:01' });
  });

  for (const { name, packet } of goldenCommands) {
    it(`${name} with ${answers[name]}`, async () => {
      expect(text(await host.answer(packet))).to.equal(text(bytes(answers[name])));
      expect(host.take(), 'anything more').to.deep.equal([]);
    });

    it(`${name} of a wrong length with 0x12`, async () => {
      const { opcode, returns } = commandSpecs[name];
      const refused =
        returns === undefined
          ? encodeCommandStatus(opcode, 0x12)
          : encodeCommandComplete(opcode, Buffer.concat([Buffer.from([0x12]), Buffer.alloc(returns.size)]));
      const body = packet.subarray(4);
      const long = withBody(packet, Buffer.concat([body, Buffer.alloc(1)]));
      expect(text(await host.answer(long))).to.equal(text(refused));
      if (body.length === 0) return;
      expect(text(await host.answer(withBody(packet, body.subarray(1))))).to.equal(text(refused));
      expect(text(await host.answer(withBody(packet, Buffer.alloc(0))))).to.equal(text(refused));
    });
  }

  for (const opcode of [0x0000, 0x0401, 0x2060, 0x2036, 0xfc01]) {
    it(`unknown opcode 0x${opcode.toString(16).padStart(4, '0')} with 0x01`, async () => {
      const answer = await host.answer(Buffer.from([1, opcode & 0xff, opcode >> 8, 0]));
      expect(text(answer.subarray(3))).to.equal(text(Buffer.from([1, opcode & 0xff, opcode >> 8, 0x01])));
    });
  }

  it('every command by its own opcode, one answer for each, in order', async () => {
    await host.begin();
    for (const { packet } of goldenCommands) host.send(packet);
    const opcodes: number[] = [];
    for (const { packet } of goldenCommands) {
      const event = await host.next((candidate) => candidate[1] === 0x0e || candidate[1] === 0x0f);
      opcodes.push(event.readUInt16LE(event[1] === 0x0e ? 4 : 5));
      expect(opcodes.at(-1)).to.equal(packet.readUInt16LE(1));
    }
    expect(opcodes).to.have.length(goldenCommands.length);
  });

  it('what Write LE Host Supported wrote, the second octet as the reserved zero', async () => {
    await host.answer(goldenPacket('writeLeHostSupport'));
    const answer = await host.answer(goldenPacket('readLeHostSupport'));
    expect(text(answer)).to.equal('04 0e 06 01 6c 0c 00 01 00');
  });

  it('what it was given as its address, whatever random address it was told to use', async () => {
    await host.answer(goldenPacket('leSetRandomAddress'));
    expect(await host.returned('readBdAddr', {})).to.deep.equal({ address: '02:A1:B0:00:00:01' });
  });
});

describe('The supported commands', () => {
  it('are those that are answered, bit by bit', async () => {
    const host = await hostOn(stillAir().air, { address: '02:A1:B0:00:00:01' });
    const mask = (await host.returned('readLocalSupportedCommands', {}))?.commands;
    const bits = [...(mask ?? [])].reduce(
      (sum, octet) => sum + octet.toString(2).replaceAll('0', '').length,
      0,
    );
    expect(bits).to.equal(goldenCommands.length);
    for (const { name, packet } of goldenCommands) {
      const answer = await host.answer(packet);
      expect(answer.readUInt8(answer[1] === 0x0f ? 3 : 6), name).to.not.equal(0x01);
    }
  });
});
