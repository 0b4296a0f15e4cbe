/** Commands as rows of tables say them: `name field=value field=value`. */
import type { CommandName, CommandParameters } from '../../src/ble/hci/commands.js';
import { extendedConnectionTo, extendedScanParameters, setParameters } from './extended-scenes.js';
import { bytes, type AirHost } from './hci-host.js';
import { PERIPHERAL, advertisingParameters, connectionTo, scanParameters } from './hci-scenes.js';
import { parametersOf } from './rows.js';

type Usual = { readonly [N in CommandName]?: CommandParameters<N> };

const NO_DATA = { length: 0, data: Buffer.alloc(0) };
const PHY = '60 00 60 00 06 00 0C 00 00 00 C8 00 00 00 00 00';
const RANDOM = 'C0:11:22:33:44:55';
const PEER = { peerIdentityAddressType: 0, peerIdentityAddress: PERIPHERAL };

/** Parameters that a controller accepts; a row says the difference. */
const usual: Usual = {
  writeLeHostSupport: { leSupported: 1, simultaneous: 0 },
  readRssi: { handle: 0 },
  leSetRandomAddress: { address: RANDOM },
  leSetAdvertisingParameters: advertisingParameters,
  leSetAdvertisingData: NO_DATA,
  leSetScanResponseData: NO_DATA,
  leSetAdvertisingEnable: { enable: 1 },
  leSetScanParameters: scanParameters,
  leSetScanEnable: { enable: 1, filterDuplicates: 0 },
  leCreateConnection: connectionTo(PERIPHERAL),
  leSetDefaultPhy: { allPhys: 0, txPhys: 1, rxPhys: 1 },
  leClearFilterAcceptList: {},
  leAddToFilterAcceptList: { addressType: 0, address: PERIPHERAL },
  leRemoveFromFilterAcceptList: { addressType: 0, address: PERIPHERAL },
  leSetExtendedScanParameters: extendedScanParameters,
  leSetExtendedScanEnable: { enable: 1, filterDuplicates: 0, duration: 0, period: 0 },
  leExtendedCreateConnection: { ...extendedConnectionTo(PERIPHERAL), peerAddressType: 1, tail: bytes(PHY) },
  leSetExtendedAdvertisingParameters: { ...setParameters, properties: 0 },
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

/** Sends `name field=value field=value`. */
export const send = (host: AirHost, command: string): Promise<number> => {
  const [name = ''] = command.split(' ');
  return host.status(name as CommandName, { ...usual[name as CommandName], ...parametersOf(command) });
};

export const hex = (status: number): string => `0x${status.toString(16).padStart(2, '0').toUpperCase()}`;
