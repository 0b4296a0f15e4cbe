/** Commands in rows of tables: `name field=value field=value`. */
import type { CommandName, CommandParameters } from '../../src/ble/hci/commands.js';
import { bytes, type AirHost } from './hci-host.js';
import {
  ADVERTISEMENT,
  NOBODY,
  PERIPHERAL,
  SCAN_RESPONSE,
  UPDATE,
  advertisingParameters,
  connectionTo,
  scanParameters,
} from './hci-scenes.js';
import { parametersOf } from './rows.js';

type Defaults = { readonly [N in CommandName]?: CommandParameters<N> };

/** The handle of the first link of a controller. */
export const HANDLE = 0x0040;

const NO_DATA = { length: 0, data: Buffer.alloc(0) };
const LONG_TERM_KEY = bytes('00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F');
/** Intervals of 7.5 ms, a supervision timeout of 2 s. */
const PHY = bytes('60 00 60 00 06 00 0C 00 00 00 C8 00 00 00 00 00');
/** Set 1: 1M both, SID 5, every 100 ms. */
const SET = {
  set: 1,
  properties: 0,
  intervalMin: 0xa0,
  intervalMax: 0xa0,
  channelMap: 7,
  ownAddressType: 0,
  peerAddressType: 0,
  peerAddress: NOBODY,
  filterPolicy: 0,
  txPower: 0x7f,
  primaryPhy: 1,
  secondaryMaxSkip: 0,
  secondaryPhy: 1,
  sid: 5,
  scanRequestNotification: 0,
};
const RANDOM = 'C0:11:22:33:44:55';
const PEER = { peerIdentityAddressType: 0, peerIdentityAddress: PERIPHERAL };

/** Parameters that a controller accepts; a row replaces some. */
const defaults: Defaults = {
  writeLeHostSupport: { leSupported: 1, simultaneous: 0 },
  disconnect: { handle: HANDLE, reason: 0x13 },
  readRemoteVersion: { handle: HANDLE },
  readTransmitPowerLevel: { handle: HANDLE, type: 0 },
  readRssi: { handle: HANDLE },
  leSetRandomAddress: { address: RANDOM },
  leSetAdvertisingParameters: advertisingParameters,
  leSetAdvertisingData: NO_DATA,
  leSetScanResponseData: NO_DATA,
  leSetAdvertisingEnable: { enable: 1 },
  leSetScanParameters: scanParameters,
  leSetScanEnable: { enable: 1, filterDuplicates: 0 },
  leCreateConnection: connectionTo(PERIPHERAL),
  leConnectionUpdate: { handle: HANDLE, ...UPDATE },
  leRemoteConnectionParameterRequestReply: { handle: HANDLE, ...UPDATE },
  leRemoteConnectionParameterRequestNegativeReply: { handle: HANDLE, reason: 0x3b },
  leReadChannelMap: { handle: HANDLE },
  leReadRemoteFeatures: { handle: HANDLE },
  leEnableEncryption: {
    ...{ handle: HANDLE, random: Buffer.alloc(8), encryptedDiversifier: 0, longTermKey: LONG_TERM_KEY },
  },
  leLongTermKeyRequestReply: { handle: HANDLE, longTermKey: LONG_TERM_KEY },
  leLongTermKeyRequestNegativeReply: { handle: HANDLE },
  leSetDataLength: { handle: HANDLE, txOctets: 251, txTime: 2120 },
  leReadPhy: { handle: HANDLE },
  leSetPhy: { handle: HANDLE, allPhys: 0, txPhys: 7, rxPhys: 7, phyOptions: 0 },
  leSetDefaultPhy: { allPhys: 0, txPhys: 1, rxPhys: 1 },
  leClearFilterAcceptList: {},
  leAddToFilterAcceptList: { addressType: 0, address: PERIPHERAL },
  leRemoveFromFilterAcceptList: { addressType: 0, address: PERIPHERAL },
  leSetExtendedScanParameters: {
    ...{ ownAddressType: 0, filterPolicy: 0, scanningPhys: 1, tail: bytes('01 12 00 12 00') },
  },
  leSetExtendedScanEnable: { enable: 1, filterDuplicates: 0, duration: 0, period: 0 },
  leExtendedCreateConnection: {
    ...{ filterPolicy: 0, ownAddressType: 0, peerAddressType: 0, peerAddress: PERIPHERAL },
    ...{ initiatingPhys: 1, tail: PHY },
  },
  leSetExtendedAdvertisingParameters: SET,
  leSetExtendedAdvertisingData: {
    ...{ set: 1, operation: 3, fragmentPreference: 1, length: 0, tail: Buffer.alloc(0) },
  },
  leSetExtendedScanResponseData: {
    ...{ set: 1, operation: 3, fragmentPreference: 1, length: 1, tail: Buffer.alloc(1) },
  },
  leSetExtendedAdvertisingEnable: { enable: 1, sets: 1, tail: bytes('01 00 00 00') },
  leSetAdvertisingSetRandomAddress: { set: 1, address: RANDOM },
  leRemoveAdvertisingSet: { set: 1 },
  leClearAdvertisingSets: {},
  leAddToResolvingList: { ...PEER, peerIrk: Buffer.alloc(16, 1), localIrk: Buffer.alloc(16, 2) },
  leRemoveFromResolvingList: PEER,
  leClearResolvingList: {},
  leReadPeerResolvableAddress: PEER,
  leReadLocalResolvableAddress: PEER,
  leSetAddressResolutionEnable: { enable: 1 },
  leSetResolvableAddressTimeout: { timeout: 1 },
  leSetPrivacyMode: { ...PEER, mode: 0 },
};

const parsed = (command: string) => {
  const name = command.split(' ', 1)[0] as CommandName;
  return { name, parameters: { ...defaults[name], ...parametersOf(command) } as never };
};

/** Sends `name field=value field=value`, and returns the status of the answer. */
export const send = (host: AirHost, command: string): Promise<number> => {
  const { name, parameters } = parsed(command);
  return host.status(name, parameters);
};

/** Sends a command, and returns the other parameters of the answer. */
export const ask = (host: AirHost, command: string): Promise<object | undefined> => {
  const { name, parameters } = parsed(command);
  return host.returned(name, parameters);
};

/** Sequences of commands. */
const sequences: Readonly<Record<string, readonly string[]>> = {
  advertise: [
    'leSetAdvertisingParameters',
    `leSetAdvertisingData length=6 data=x${ADVERTISEMENT.toString('hex')}`,
    `leSetScanResponseData length=4 data=x${SCAN_RESPONSE.toString('hex')}`,
    'leSetAdvertisingEnable',
  ],
  scan: ['leSetScanParameters', 'leSetScanEnable'],
  advertiseSet: [
    'leSetExtendedAdvertisingParameters properties=1',
    'leSetExtendedAdvertisingData length=3 tail=x020106',
    'leSetExtendedAdvertisingEnable',
  ],
  extendedScan: ['leSetExtendedScanParameters', 'leSetExtendedScanEnable'],
  resolve: ['leAddToResolvingList', 'leSetAddressResolutionEnable'],
};

/** The commands of a row, each with the row's fields that are parameters of it. */
export const commandsOf = (row: string): readonly string[] => {
  const [name = '', ...fields] = row.split(' ');
  const withFields = (command: string): string => {
    const parameters = parsed(command).parameters;
    return [command, ...fields.filter((field) => field.replace(/=.*/, '') in parameters)].join(' ');
  };
  return sequences[name]?.map(withFields) ?? [row];
};

export const hex = (status: number): string => `0x${status.toString(16).padStart(2, '0').toUpperCase()}`;
