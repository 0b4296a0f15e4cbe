/** The commands and features of a controller. A bit is set only for what is implemented. */
import type { CommandName } from '../../../src/ble/hci/commands.js';

/** Octet and bit of each command in the supported commands mask (Core 5.4 Vol 4 Part E 6.27). */
const commandBits: Readonly<Record<CommandName, readonly [octet: number, bit: number]>> = {
  disconnect: [0, 5],
  readRemoteVersion: [2, 7],
  setEventMask: [5, 6],
  reset: [5, 7],
  readTransmitPowerLevel: [10, 2],
  readLocalVersion: [14, 3],
  readLocalSupportedCommands: [14, 4],
  readLocalSupportedFeatures: [14, 5],
  readBufferSize: [14, 7],
  readBdAddr: [15, 1],
  readRssi: [15, 5],
  setEventMaskPage2: [22, 2],
  readLeHostSupport: [24, 5],
  writeLeHostSupport: [24, 6],
  leSetEventMask: [25, 0],
  leReadBufferSize: [25, 1],
  leReadLocalSupportedFeatures: [25, 2],
  leSetRandomAddress: [25, 4],
  leSetAdvertisingParameters: [25, 5],
  leReadAdvertisingTxPower: [25, 6],
  leSetAdvertisingData: [25, 7],
  leSetScanResponseData: [26, 0],
  leSetAdvertisingEnable: [26, 1],
  leSetScanParameters: [26, 2],
  leSetScanEnable: [26, 3],
  leCreateConnection: [26, 4],
  leCreateConnectionCancel: [26, 5],
  leReadFilterAcceptListSize: [26, 6],
  leClearFilterAcceptList: [26, 7],
  leAddToFilterAcceptList: [27, 0],
  leRemoveFromFilterAcceptList: [27, 1],
  leConnectionUpdate: [27, 2],
  leSetHostChannelClassification: [27, 3],
  leReadChannelMap: [27, 4],
  leReadRemoteFeatures: [27, 5],
  leEncrypt: [27, 6],
  leRand: [27, 7],
  leEnableEncryption: [28, 0],
  leLongTermKeyRequestReply: [28, 1],
  leLongTermKeyRequestNegativeReply: [28, 2],
  leReadSupportedStates: [28, 3],
  leRemoteConnectionParameterRequestReply: [33, 4],
  leRemoteConnectionParameterRequestNegativeReply: [33, 5],
  leSetDataLength: [33, 6],
  leReadSuggestedDefaultDataLength: [33, 7],
  leWriteSuggestedDefaultDataLength: [34, 0],
  leReadLocalP256PublicKey: [34, 1],
  leGenerateDhKey: [34, 2],
  leReadMaximumDataLength: [35, 3],
  leReadPhy: [35, 4],
  leSetDefaultPhy: [35, 5],
  leSetPhy: [35, 6],
  leSetAdvertisingSetRandomAddress: [36, 1],
  leSetExtendedAdvertisingParameters: [36, 2],
  leSetExtendedAdvertisingData: [36, 3],
  leSetExtendedScanResponseData: [36, 4],
  leSetExtendedAdvertisingEnable: [36, 5],
  leReadMaximumAdvertisingDataLength: [36, 6],
  leReadNumberOfAdvertisingSets: [36, 7],
  leRemoveAdvertisingSet: [37, 0],
  leClearAdvertisingSets: [37, 1],
  leSetExtendedScanParameters: [37, 5],
  leSetExtendedScanEnable: [37, 6],
  leExtendedCreateConnection: [37, 7],
  leReadTransmitPower: [38, 7],
};

export const supportedCommands = (): Buffer => {
  const mask = Buffer.alloc(64);
  for (const [octet, bit] of Object.values(commandBits)) mask[octet] = (mask[octet] ?? 0) | (1 << bit);
  return mask;
};

/** LMP features: LE supported, BR/EDR not (bits 38 and 37; Core 5.4 Vol 2 Part C 3.3). */
export const supportedFeatures = (): Buffer => Buffer.from('0000000060000000', 'hex');

/** LE features by their bits (Core 5.4 Vol 6 Part B 4.6). */
const LeFeature = {
  encryption: 0,
  connectionParametersRequest: 1,
  extendedReject: 2,
  peripheralFeaturesExchange: 3,
  dataLengthExtension: 5,
  le2MPhy: 8,
  codedPhy: 11,
  extendedAdvertising: 12,
  channelSelectionAlgorithm2: 14,
} as const;

export const leSupportedFeatures = (): Buffer => {
  const mask = Buffer.alloc(8);
  for (const bit of Object.values(LeFeature)) mask[bit >> 3] = (mask[bit >> 3] ?? 0) | (1 << (bit & 7));
  return mask;
};

/** All 42 combinations of advertising, scanning, initiating and links (Core 5.4 Vol 4 Part E 7.8.27). */
export const leSupportedStates = (): Buffer => Buffer.from('ffffffffff030000', 'hex');

/** Bluetooth 5.4; the company identifier for internal tests, the revision this emulator's own. */
export const localVersion = {
  hciVersion: 0x0d,
  hciRevision: 1,
  lmpVersion: 0x0d,
  manufacturer: 0xffff,
  lmpSubversion: 1,
} as const;

/** Buffers for data from the host: packets and the bytes each holds. */
export const aclBuffers = { packets: 8, length: 251 } as const;
