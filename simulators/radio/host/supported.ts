/** The commands and features of a controller. Only implemented ones have their bits set. */
import { specification } from './specification.js';

export const supportedCommands = (): Buffer => {
  const mask = Buffer.alloc(64);
  for (const [, , octet, bit] of Object.values(specification)) mask[octet] = (mask[octet] ?? 0) | (1 << bit);
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
  llPrivacy: 6,
  extendedScanningFilterPolicies: 7,
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
