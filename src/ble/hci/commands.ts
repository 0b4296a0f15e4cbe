/**
 * The HCI commands of an LE controller: opcode, parameters, return parameters (Core 5.4 Vol 4 Part E 7).
 * A command with `returns` is answered by Command Complete, status first; a command without it by Command Status.
 */
import { begins, completes, type CommandSpec } from './command-spec.js';
import { connectionParameters, extendedCommands } from './extended-commands.js';
import { address, bytes, i8, u16, u8, type Layout, type Fields } from '../../bytes/index.js';

/** The device of an entry of the resolving list: 0 for a public identity address, 1 for a random static one. */
const peer = { peerIdentityAddressType: u8, peerIdentityAddress: address } satisfies Fields;

export const commands = {
  disconnect: begins(0x0406, { handle: u16, reason: u8 }),
  readRemoteVersion: begins(0x041d, { handle: u16 }),
  setEventMask: completes(0x0c01, { mask: bytes(8) }, {}),
  reset: completes(0x0c03, {}, {}),
  readTransmitPowerLevel: completes(0x0c2d, { handle: u16, type: u8 }, { handle: u16, level: i8 }),
  setEventMaskPage2: completes(0x0c63, { mask: bytes(8) }, {}),
  readLeHostSupport: completes(0x0c6c, {}, { leSupported: u8, simultaneous: u8 }),
  writeLeHostSupport: completes(0x0c6d, { leSupported: u8, simultaneous: u8 }, {}),
  readLocalVersion: completes(
    0x1001,
    {},
    { hciVersion: u8, hciRevision: u16, lmpVersion: u8, manufacturer: u16, lmpSubversion: u16 },
  ),
  readLocalSupportedCommands: completes(0x1002, {}, { commands: bytes(64) }),
  readLocalSupportedFeatures: completes(0x1003, {}, { features: bytes(8) }),
  readBufferSize: completes(0x1005, {}, { aclLength: u16, scoLength: u8, aclPackets: u16, scoPackets: u16 }),
  readBdAddr: completes(0x1009, {}, { address }),
  readRssi: completes(0x1405, { handle: u16 }, { handle: u16, rssi: i8 }),
  leSetEventMask: completes(0x2001, { mask: bytes(8) }, {}),
  leReadBufferSize: completes(0x2002, {}, { aclLength: u16, aclPackets: u8 }),
  leReadLocalSupportedFeatures: completes(0x2003, {}, { features: bytes(8) }),
  leSetRandomAddress: completes(0x2005, { address }, {}),
  leSetAdvertisingParameters: completes(
    0x2006,
    {
      intervalMin: u16,
      intervalMax: u16,
      type: u8,
      ownAddressType: u8,
      peerAddressType: u8,
      peerAddress: address,
      channelMap: u8,
      filterPolicy: u8,
    },
    {},
  ),
  leReadAdvertisingTxPower: completes(0x2007, {}, { txPower: i8 }),
  leSetAdvertisingData: completes(0x2008, { length: u8, data: bytes(31) }, {}),
  leSetScanResponseData: completes(0x2009, { length: u8, data: bytes(31) }, {}),
  leSetAdvertisingEnable: completes(0x200a, { enable: u8 }, {}),
  leSetScanParameters: completes(
    0x200b,
    { type: u8, interval: u16, window: u16, ownAddressType: u8, filterPolicy: u8 },
    {},
  ),
  leSetScanEnable: completes(0x200c, { enable: u8, filterDuplicates: u8 }, {}),
  leCreateConnection: begins(0x200d, {
    scanInterval: u16,
    scanWindow: u16,
    filterPolicy: u8,
    peerAddressType: u8,
    peerAddress: address,
    ownAddressType: u8,
    ...connectionParameters,
  }),
  leCreateConnectionCancel: completes(0x200e, {}, {}),
  leReadFilterAcceptListSize: completes(0x200f, {}, { size: u8 }),
  leClearFilterAcceptList: completes(0x2010, {}, {}),
  leAddToFilterAcceptList: completes(0x2011, { addressType: u8, address }, {}),
  leRemoveFromFilterAcceptList: completes(0x2012, { addressType: u8, address }, {}),
  leConnectionUpdate: begins(0x2013, { handle: u16, ...connectionParameters }),
  leSetHostChannelClassification: completes(0x2014, { channelMap: bytes(5) }, {}),
  leReadChannelMap: completes(0x2015, { handle: u16 }, { handle: u16, channelMap: bytes(5) }),
  leReadRemoteFeatures: begins(0x2016, { handle: u16 }),
  leEncrypt: completes(0x2017, { key: bytes(16), plaintext: bytes(16) }, { encrypted: bytes(16) }),
  leRand: completes(0x2018, {}, { random: bytes(8) }),
  leEnableEncryption: begins(0x2019, {
    handle: u16,
    random: bytes(8),
    encryptedDiversifier: u16,
    longTermKey: bytes(16),
  }),
  leLongTermKeyRequestReply: completes(0x201a, { handle: u16, longTermKey: bytes(16) }, { handle: u16 }),
  leLongTermKeyRequestNegativeReply: completes(0x201b, { handle: u16 }, { handle: u16 }),
  leReadSupportedStates: completes(0x201c, {}, { states: bytes(8) }),
  leRemoteConnectionParameterRequestReply: completes(
    0x2020,
    { handle: u16, ...connectionParameters },
    { handle: u16 },
  ),
  leRemoteConnectionParameterRequestNegativeReply: completes(
    0x2021,
    { handle: u16, reason: u8 },
    { handle: u16 },
  ),
  leSetDataLength: completes(0x2022, { handle: u16, txOctets: u16, txTime: u16 }, { handle: u16 }),
  leReadSuggestedDefaultDataLength: completes(0x2023, {}, { txOctets: u16, txTime: u16 }),
  leWriteSuggestedDefaultDataLength: completes(0x2024, { txOctets: u16, txTime: u16 }, {}),
  leReadLocalP256PublicKey: begins(0x2025, {}),
  leGenerateDhKey: begins(0x2026, { x: bytes(32), y: bytes(32) }),
  leReadMaximumDataLength: completes(
    0x202f,
    {},
    { maxTxOctets: u16, maxTxTime: u16, maxRxOctets: u16, maxRxTime: u16 },
  ),
  leReadPhy: completes(0x2030, { handle: u16 }, { handle: u16, txPhy: u8, rxPhy: u8 }),
  leSetDefaultPhy: completes(0x2031, { allPhys: u8, txPhys: u8, rxPhys: u8 }, {}),
  leSetPhy: begins(0x2032, { handle: u16, allPhys: u8, txPhys: u8, rxPhys: u8, phyOptions: u16 }),
  ...extendedCommands,
  leReadTransmitPower: completes(0x204b, {}, { minTxPower: i8, maxTxPower: i8 }),
  // LL privacy: the resolving list and its use (Core 5.4 Vol 4 Part E 7.8.38 to 7.8.45 and 7.8.77).
  /** A key of zeros stands for a missing key. */
  leAddToResolvingList: completes(0x2027, { ...peer, peerIrk: bytes(16), localIrk: bytes(16) }, {}),
  leRemoveFromResolvingList: completes(0x2028, peer, {}),
  leClearResolvingList: completes(0x2029, {}, {}),
  leReadResolvingListSize: completes(0x202a, {}, { size: u8 }),
  leReadPeerResolvableAddress: completes(0x202b, peer, { address }),
  leReadLocalResolvableAddress: completes(0x202c, peer, { address }),
  leSetAddressResolutionEnable: completes(0x202d, { enable: u8 }, {}),
  /** Seconds. */
  leSetResolvableAddressTimeout: completes(0x202e, { timeout: u16 }, {}),
  leSetPrivacyMode: completes(0x204e, { ...peer, mode: u8 }, {}),
} as const;

export type CommandName = keyof typeof commands;

export type CommandParameters<N extends CommandName> =
  (typeof commands)[N]['parameters'] extends Layout<infer P> ? P : never;

export type CommandReturns<N extends CommandName> =
  NonNullable<(typeof commands)[N]['returns']> extends Layout<infer R> ? R : never;

/** The commands, typed so that a generic name `N` finds its parameters. */
export const commandSpecs: {
  readonly [N in CommandName]: CommandSpec<CommandParameters<N>, CommandReturns<N>>;
} = commands;

const names = new Map<number, CommandName>(
  (Object.keys(commands) as CommandName[]).map((name) => [commands[name].opcode, name]),
);

export const commandName = (opcode: number): CommandName | undefined => names.get(opcode);
