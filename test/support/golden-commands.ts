/**
 * HCI commands as bytes, typed by hand from Core 5.4 Vol 4 Part E (the section stands behind each), H4 type byte first.
 * The two long ones of extended scanning are those that noble sends.
 */
import { commandSpecs, type CommandName, type CommandParameters } from '../../src/ble/hci/commands.js';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { bytes } from './hci-host.js';

export interface GoldenCommand {
  readonly name: CommandName;
  readonly packet: Buffer;
  /** The packet as we write it. */
  readonly encoded: () => Buffer;
  /** Its parameters, read and written again. */
  readonly rewritten: () => Buffer;
}

const golden = <N extends CommandName>(
  name: N,
  parameters: CommandParameters<N>,
  packet: string,
): GoldenCommand => ({
  name,
  packet: bytes(packet),
  encoded: () => encodeCommand(name, parameters),
  rewritten: () => {
    const { read, write } = commandSpecs[name].parameters;
    return write(read(bytes(packet).subarray(4)));
  },
});

const key = bytes('00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F');

const update = {
  connectionIntervalMin: 6,
  connectionIntervalMax: 12,
  maxLatency: 1,
  supervisionTimeout: 200,
  minCeLength: 2,
  maxCeLength: 3,
};

export const goldenCommands: readonly GoldenCommand[] = [
  golden('disconnect', { handle: 0x0040, reason: 0x13 }, '01 06 04 03 40 00 13'), // 7.1.6
  golden('readRemoteVersion', { handle: 0x0040 }, '01 1D 04 02 40 00'), // 7.1.23
  golden('setEventMask', { mask: bytes('FFFFFBFF07F8BF3D') }, '01 01 0C 08 FF FF FB FF 07 F8 BF 3D'), // 7.3.1
  golden('reset', {}, '01 03 0C 00'), // 7.3.2
  golden('readTransmitPowerLevel', { handle: 0x0040, type: 1 }, '01 2D 0C 03 40 00 01'), // 7.3.35
  golden('setEventMaskPage2', { mask: bytes('0000800000000000') }, '01 63 0C 08 00 00 80 00 00 00 00 00'), // 7.3.69
  golden('readLeHostSupport', {}, '01 6C 0C 00'), // 7.3.78
  golden('writeLeHostSupport', { leSupported: 1, simultaneous: 0 }, '01 6D 0C 02 01 00'), // 7.3.79
  golden('readLocalVersion', {}, '01 01 10 00'), // 7.4.1
  golden('readLocalSupportedCommands', {}, '01 02 10 00'), // 7.4.2
  golden('readLocalSupportedFeatures', {}, '01 03 10 00'), // 7.4.3
  golden('readBufferSize', {}, '01 05 10 00'), // 7.4.5
  golden('readBdAddr', {}, '01 09 10 00'), // 7.4.6
  golden('readRssi', { handle: 0x0040 }, '01 05 14 02 40 00'), // 7.5.4
  golden('leSetEventMask', { mask: bytes('1F00000000000000') }, '01 01 20 08 1F 00 00 00 00 00 00 00'), // 7.8.1
  golden('leReadBufferSize', {}, '01 02 20 00'), // 7.8.2
  golden('leReadLocalSupportedFeatures', {}, '01 03 20 00'), // 7.8.3
  golden('leSetRandomAddress', { address: 'C0:11:22:33:44:55' }, '01 05 20 06 55 44 33 22 11 C0'), // 7.8.4
  golden(
    'leSetAdvertisingParameters', // 7.8.5
    {
      intervalMin: 0x00a0,
      intervalMax: 0x0140,
      type: 0,
      ownAddressType: 1,
      peerAddressType: 0,
      peerAddress: '00:00:00:00:00:00',
      channelMap: 7,
      filterPolicy: 0,
    },
    '01 06 20 0F A0 00 40 01 00 01 00 00 00 00 00 00 00 07 00',
  ),
  golden('leReadAdvertisingTxPower', {}, '01 07 20 00'), // 7.8.6
  golden(
    'leSetAdvertisingData', // 7.8.7
    { length: 3, data: bytes('02 01 06') },
    `01 08 20 20 03 02 01 06 ${'00'.repeat(28)}`,
  ),
  golden(
    'leSetScanResponseData', // 7.8.8
    { length: 4, data: bytes('03 09 41 42') },
    `01 09 20 20 04 03 09 41 42 ${'00'.repeat(27)}`,
  ),
  golden('leSetAdvertisingEnable', { enable: 1 }, '01 0A 20 01 01'), // 7.8.9
  golden(
    'leSetScanParameters', // 7.8.10
    { type: 1, interval: 0x0012, window: 0x0010, ownAddressType: 0, filterPolicy: 0 },
    '01 0B 20 07 01 12 00 10 00 00 00',
  ),
  golden('leSetScanEnable', { enable: 1, filterDuplicates: 0 }, '01 0C 20 02 01 00'), // 7.8.11
  golden(
    'leCreateConnection', // 7.8.12
    {
      scanInterval: 0x0060,
      scanWindow: 0x0030,
      filterPolicy: 0,
      peerAddressType: 1,
      peerAddress: 'D1:CE:00:00:00:01',
      ownAddressType: 0,
      ...update,
    },
    '01 0D 20 19 60 00 30 00 00 01 01 00 00 00 CE D1 00 06 00 0C 00 01 00 C8 00 02 00 03 00',
  ),
  golden('leCreateConnectionCancel', {}, '01 0E 20 00'), // 7.8.13
  golden('leReadFilterAcceptListSize', {}, '01 0F 20 00'), // 7.8.14
  golden('leClearFilterAcceptList', {}, '01 10 20 00'), // 7.8.15
  golden(
    'leAddToFilterAcceptList', // 7.8.16
    { addressType: 1, address: 'D1:CE:00:00:00:01' },
    '01 11 20 07 01 01 00 00 00 CE D1',
  ),
  golden(
    'leRemoveFromFilterAcceptList', // 7.8.17
    { addressType: 1, address: 'D1:CE:00:00:00:01' },
    '01 12 20 07 01 01 00 00 00 CE D1',
  ),
  golden(
    'leConnectionUpdate', // 7.8.18
    { handle: 0x0041, ...update },
    '01 13 20 0E 41 00 06 00 0C 00 01 00 C8 00 02 00 03 00',
  ),
  golden(
    'leSetHostChannelClassification', // 7.8.19
    { channelMap: bytes('FF FF FF FF 1F') },
    '01 14 20 05 FF FF FF FF 1F',
  ),
  golden('leReadChannelMap', { handle: 0x0041 }, '01 15 20 02 41 00'), // 7.8.20
  golden('leReadRemoteFeatures', { handle: 0x0041 }, '01 16 20 02 41 00'), // 7.8.21
  golden(
    'leEncrypt', // 7.8.22
    { key, plaintext: Buffer.alloc(16, 0xaa) },
    `01 17 20 20 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F ${'AA'.repeat(16)}`,
  ),
  golden('leRand', {}, '01 18 20 00'), // 7.8.23
  golden(
    'leEnableEncryption', // 7.8.24
    { handle: 0x0041, random: bytes('F0F1F2F3F4F5F6F7'), encryptedDiversifier: 0x1234, longTermKey: key },
    '01 19 20 1C 41 00 F0 F1 F2 F3 F4 F5 F6 F7 34 12 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F',
  ),
  golden(
    'leLongTermKeyRequestReply', // 7.8.25
    { handle: 0x0041, longTermKey: key },
    '01 1A 20 12 41 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F',
  ),
  golden('leLongTermKeyRequestNegativeReply', { handle: 0x0041 }, '01 1B 20 02 41 00'), // 7.8.26
  golden('leReadSupportedStates', {}, '01 1C 20 00'), // 7.8.27
  golden(
    'leRemoteConnectionParameterRequestReply', // 7.8.31
    { handle: 0x0041, ...update },
    '01 20 20 0E 41 00 06 00 0C 00 01 00 C8 00 02 00 03 00',
  ),
  golden(
    'leRemoteConnectionParameterRequestNegativeReply', // 7.8.32
    { handle: 0x0041, reason: 0x3b },
    '01 21 20 03 41 00 3B',
  ),
  golden(
    'leSetDataLength', // 7.8.33
    { handle: 0x0041, txOctets: 251, txTime: 2120 },
    '01 22 20 06 41 00 FB 00 48 08',
  ),
  golden('leReadSuggestedDefaultDataLength', {}, '01 23 20 00'), // 7.8.34
  golden('leWriteSuggestedDefaultDataLength', { txOctets: 251, txTime: 2120 }, '01 24 20 04 FB 00 48 08'), // 7.8.35
  golden('leReadLocalP256PublicKey', {}, '01 25 20 00'), // 7.8.36
  golden(
    'leGenerateDhKey', // 7.8.37
    { x: Buffer.alloc(32, 0x11), y: Buffer.alloc(32, 0x22) },
    `01 26 20 40 ${'11'.repeat(32)} ${'22'.repeat(32)}`,
  ),
  golden('leReadMaximumDataLength', {}, '01 2F 20 00'), // 7.8.46
  golden('leReadPhy', { handle: 0x0041 }, '01 30 20 02 41 00'), // 7.8.47
  golden('leSetDefaultPhy', { allPhys: 0, txPhys: 5, rxPhys: 5 }, '01 31 20 03 00 05 05'), // 7.8.48
  golden(
    'leSetPhy', // 7.8.49
    { handle: 0x0041, allPhys: 0, txPhys: 2, rxPhys: 2, phyOptions: 1 },
    '01 32 20 07 41 00 00 02 02 01 00',
  ),
  golden(
    'leSetAdvertisingSetRandomAddress', // 7.8.52
    { set: 3, address: 'C0:11:22:33:44:55' },
    '01 35 20 07 03 55 44 33 22 11 C0',
  ),
  golden(
    'leSetExtendedAdvertisingParameters', // 7.8.53
    {
      set: 3,
      properties: 0x0001,
      intervalMin: 0x0000a0,
      intervalMax: 0x010203,
      channelMap: 7,
      ownAddressType: 1,
      peerAddressType: 0,
      peerAddress: '00:00:00:00:00:00',
      filterPolicy: 0,
      txPower: 127,
      primaryPhy: 1,
      secondaryMaxSkip: 0,
      secondaryPhy: 2,
      sid: 5,
      scanRequestNotification: 1,
    },
    '01 36 20 19 03 01 00 A0 00 00 03 02 01 07 01 00 00 00 00 00 00 00 00 7F 01 00 02 05 01',
  ),
  golden(
    'leSetExtendedAdvertisingData', // 7.8.54
    { set: 3, operation: 3, fragmentPreference: 1, length: 6, tail: bytes('02 01 06 02 0A 00') },
    '01 37 20 0A 03 03 01 06 02 01 06 02 0A 00',
  ),
  golden(
    'leSetExtendedScanResponseData', // 7.8.55
    { set: 3, operation: 3, fragmentPreference: 1, length: 6, tail: bytes('02 09 41 02 0A 00') },
    '01 38 20 0A 03 03 01 06 02 09 41 02 0A 00',
  ),
  golden(
    'leSetExtendedAdvertisingEnable', // 7.8.56
    { enable: 1, sets: 1, tail: bytes('03 F4 01 0A') },
    '01 39 20 06 01 01 03 F4 01 0A',
  ),
  golden('leReadMaximumAdvertisingDataLength', {}, '01 3A 20 00'), // 7.8.57
  golden('leReadNumberOfAdvertisingSets', {}, '01 3B 20 00'), // 7.8.58
  golden('leRemoveAdvertisingSet', { set: 3 }, '01 3C 20 01 03'), // 7.8.59
  golden('leClearAdvertisingSets', {}, '01 3D 20 00'), // 7.8.60
  golden(
    'leSetExtendedScanParameters', // 7.8.64
    { ownAddressType: 0, filterPolicy: 0, scanningPhys: 5, tail: bytes('01 12 00 12 00 01 12 00 12 00') },
    '01 41 20 0D 00 00 05 01 12 00 12 00 01 12 00 12 00',
  ),
  golden(
    'leSetExtendedScanEnable', // 7.8.65
    { enable: 1, filterDuplicates: 0, duration: 0, period: 0 },
    '01 42 20 06 01 00 00 00 00 00',
  ),
  golden(
    'leExtendedCreateConnection', // 7.8.66
    {
      filterPolicy: 0,
      ownAddressType: 0,
      peerAddressType: 1,
      peerAddress: 'D1:CE:00:00:00:01',
      initiatingPhys: 1,
      tail: bytes('60 00 60 00 06 00 0C 00 00 00 C8 00 00 00 00 00'),
    },
    '01 43 20 1A 00 00 01 01 00 00 00 CE D1 01 60 00 60 00 06 00 0C 00 00 00 C8 00 00 00 00 00',
  ),
  golden('leReadTransmitPower', {}, '01 4B 20 00'), // 7.8.74
];

export const goldenPacket = (name: CommandName): Buffer => {
  const packet = goldenCommands.find((golden) => golden.name === name)?.packet;
  if (packet === undefined) throw new Error(`no golden bytes for ${name}`);
  return packet;
};
