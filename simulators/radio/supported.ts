/** What a controller says of itself; every bit set here is a command or feature that is really there. */
import type { CommandName } from '../../src/ble/hci/commands.js';

/** Octet and bit of each command in the supported commands mask (Core 5.4 Vol 4 Part E 6.27). */
const commandBits: Readonly<Record<CommandName, readonly [octet: number, bit: number]>> = {
  disconnect: [0, 5],
  setEventMask: [5, 6],
  reset: [5, 7],
  readLocalVersion: [14, 3],
  readLocalSupportedCommands: [14, 4],
  readLocalSupportedFeatures: [14, 5],
  readBufferSize: [14, 7],
  readBdAddr: [15, 1],
  readRssi: [15, 5],
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
  leConnectionUpdate: [27, 2],
  leEnableEncryption: [28, 0],
  leLongTermKeyRequestReply: [28, 1],
  leLongTermKeyRequestNegativeReply: [28, 2],
  leReadSupportedStates: [28, 3],
  leSetDefaultPhy: [35, 5],
  leSetExtendedScanParameters: [37, 5],
  leSetExtendedScanEnable: [37, 6],
  leExtendedCreateConnection: [37, 7],
};

export const supportedCommands = (): Buffer => {
  const mask = Buffer.alloc(64);
  for (const [octet, bit] of Object.values(commandBits)) mask[octet] = (mask[octet] ?? 0) | (1 << bit);
  return mask;
};

/** LMP features: LE supported, BR/EDR not (bits 38 and 37; Core 5.4 Vol 2 Part C 3.3). */
export const supportedFeatures = (): Buffer => Buffer.from('0000000060000000', 'hex');

/** LE features: encryption (bit 0; Core 5.4 Vol 6 Part B 4.6). */
export const leSupportedFeatures = (): Buffer => Buffer.from('0100000000000000', 'hex');

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
