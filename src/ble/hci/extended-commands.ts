/** Extended advertising, scanning and connecting (Core 5.4 Vol 4 Part E 7.8.52 to 7.8.66). */
import { begins, completes, withTail } from './command-spec.js';
import { address, i8, layout, u16, u24, u8, type Fields, type Values } from '../../bytes/index.js';

export const connectionParameters = {
  connectionIntervalMin: u16,
  connectionIntervalMax: u16,
  maxLatency: u16,
  supervisionTimeout: u16,
  minCeLength: u16,
  maxCeLength: u16,
} satisfies Fields;

/** Connection intervals in units of 1.25 ms, supervision timeout in units of 10 ms, event lengths in units of 0.625 ms. */
export type ConnectionParameters = Values<typeof connectionParameters>;

/** A part of an advertising set's data, which follows as the tail. */
const dataPart = { set: u8, operation: u8, fragmentPreference: u8, length: u8 } satisfies Fields;

export const extendedCommands = {
  leSetAdvertisingSetRandomAddress: completes(0x2035, { set: u8, address }, {}),
  leSetExtendedAdvertisingParameters: completes(
    0x2036,
    {
      set: u8,
      properties: u16,
      intervalMin: u24,
      intervalMax: u24,
      channelMap: u8,
      ownAddressType: u8,
      peerAddressType: u8,
      peerAddress: address,
      filterPolicy: u8,
      txPower: i8,
      primaryPhy: u8,
      secondaryMaxSkip: u8,
      secondaryPhy: u8,
      sid: u8,
      scanRequestNotification: u8,
    },
    { txPower: i8 },
  ),
  leSetExtendedAdvertisingData: withTail(completes(0x2037, dataPart, {})),
  leSetExtendedScanResponseData: withTail(completes(0x2038, dataPart, {})),
  leSetExtendedAdvertisingEnable: withTail(completes(0x2039, { enable: u8, sets: u8 }, {})),
  leReadMaximumAdvertisingDataLength: completes(0x203a, {}, { length: u16 }),
  leReadNumberOfAdvertisingSets: completes(0x203b, {}, { sets: u8 }),
  leRemoveAdvertisingSet: completes(0x203c, { set: u8 }, {}),
  leClearAdvertisingSets: completes(0x203d, {}, {}),
  leSetExtendedScanParameters: withTail(
    completes(0x2041, { ownAddressType: u8, filterPolicy: u8, scanningPhys: u8 }, {}),
  ),
  leSetExtendedScanEnable: completes(
    0x2042,
    { enable: u8, filterDuplicates: u8, duration: u16, period: u16 },
    {},
  ),
  leExtendedCreateConnection: withTail(
    begins(0x2043, {
      filterPolicy: u8,
      ownAddressType: u8,
      peerAddressType: u8,
      peerAddress: address,
      initiatingPhys: u8,
    }),
  ),
} as const;

/** One set in the tail of `leSetExtendedAdvertisingEnable`: duration in units of 10 ms; 0 for no limit. */
export const enabledSet = layout({ set: u8, duration: u16, maxEvents: u8 });

/** The scanning parameters of one PHY in `leSetExtendedScanParameters`' tail. */
export const extendedScanPhy = layout({ type: u8, interval: u16, window: u16 });

/** The connection parameters of one PHY in `leExtendedCreateConnection`'s tail. */
export const extendedConnectionPhy = layout({ scanInterval: u16, scanWindow: u16, ...connectionParameters });
