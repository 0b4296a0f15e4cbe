/** Advertising packets and fragments of data, addresses and PHYs. */

export type AddressType = 'public' | 'random';

export interface DeviceAddress {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly type: AddressType;
}

/** An address as commands give it: 0 is public, 1 random. */
export const deviceAddress = (type: number, address: string): DeviceAddress => ({
  address,
  type: type === 1 ? 'random' : 'public',
});

/** The address type in commands and events: 0 is public, 1 random. */
export const typeCode = (address: DeviceAddress | undefined): number => (address?.type === 'random' ? 1 : 0);

export const sameAddress = (a: DeviceAddress, b: DeviceAddress): boolean =>
  a.address === b.address && a.type === b.type;

/** The kind of an advertisement, bit by bit (Core 5.4 Vol 4 Part E 7.8.53, Advertising_Event_Properties). */
export const Property = {
  connectable: 0x01,
  scannable: 0x02,
  directed: 0x04,
  highDuty: 0x08,
  /** Sent as legacy PDUs, which all scanners receive. */
  legacy: 0x10,
  anonymous: 0x20,
  txPower: 0x40,
} as const;

export const has = (properties: number, property: number): boolean => (properties & property) !== 0;

/** Kinds of legacy advertising (Core 5.4 Vol 4 Part E 7.8.5), in the order of their codes, as properties. */
export const legacyProperties: readonly number[] = [
  Property.legacy | Property.connectable | Property.scannable,
  Property.legacy | Property.connectable | Property.directed | Property.highDuty,
  Property.legacy | Property.scannable,
  Property.legacy,
  Property.legacy | Property.connectable | Property.directed,
];

/** PHYs as bits in masks of commands. */
export const PhyBit = { le1M: 0b001, le2M: 0b010, coded: 0b100 } as const;

export const ALL_PHYS = PhyBit.le1M | PhyBit.le2M | PhyBit.coded;

/** The bit of a PHY value: 1 for 1M, 2 for 2M, 3 for Coded. */
export const phyBit = (phy: number): number => 1 << (phy - 1);

/** An advertising packet. */
export interface AdvertisingPdu {
  /** Undefined: anonymous. */
  readonly from: DeviceAddress | undefined;
  readonly properties: number;
  /** A scan response rather than the advertisement itself. */
  readonly response: boolean;
  readonly data: Buffer;
  /** The target of directed advertising. */
  readonly target: DeviceAddress | undefined;
  /** 1 for 1M, 3 for Coded. */
  readonly primaryPhy: number;
  /** 0 for legacy PDUs, else 1, 2 or 3. */
  readonly secondaryPhy: number;
  /** Advertising SID and Advertising DID, which changes with the data; undefined in legacy PDUs. */
  readonly identifier: { readonly sid: number; readonly did: number } | undefined;
  /** dBm, if the packet contains it. */
  readonly txPower: number | undefined;
}

/** A part of an L2CAP packet. */
export interface Fragment {
  /** It begins the packet. */
  readonly first: boolean;
  /** The data packet of the host that sends it. */
  readonly packet: Buffer;
  /** Its data as hooks have changed it. */
  readonly payload?: Buffer;
}
