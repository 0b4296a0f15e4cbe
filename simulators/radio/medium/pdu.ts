/** Advertising packets and fragments of data, addresses and PHYs. */

import type { DeviceAddress } from '../../../src/ble/hci/packets.js';
import { sameAddress } from '../../ble/device-address.js';

export type { AddressType, DeviceAddress } from '../../../src/ble/hci/packets.js';

/** The address of another device, as a controller knows it. */
export interface PeerAddress extends DeviceAddress {
  /** The private address on the air, if this is the identity behind it. */
  readonly resolvedFrom?: string;
}

/** An own address of a controller. */
export interface OwnAddress extends DeviceAddress {
  /** A resolvable private address that the controller has made. */
  readonly isGenerated?: boolean;
}

/** Added to the type of an identity address that stands for a private one. */
const RESOLVED = 2;

/** An address as commands give it: types 0 and 2 are public, 1 and 3 random. */
export const deviceAddress = (type: number, address: string): DeviceAddress => ({
  address,
  type: (type & 1) === 1 ? 'random' : 'public',
});

/** The address type in events: 0 is public, 1 random, 2 and 3 the same for identities of resolved addresses. */
export const typeCode = (address: PeerAddress | undefined): number =>
  (address?.type === 'random' ? 1 : 0) + (address?.resolvedFrom === undefined ? 0 : RESOLVED);

/** The address that a device uses on the air. */
export const onAir = (peer: PeerAddress): DeviceAddress =>
  peer.resolvedFrom === undefined ? peer : { address: peer.resolvedFrom, type: 'random' };

/** Whether a device has this address, as its identity or on the air. */
export const isDevice = (peer: PeerAddress, address: DeviceAddress): boolean =>
  sameAddress(peer, address) || sameAddress(onAir(peer), address);

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

export interface AdvertisingPdu {
  /** Undefined: anonymous. */
  readonly from: PeerAddress | undefined;
  readonly properties: number;
  /** A scan response rather than the advertisement itself. */
  readonly response: boolean;
  readonly data: Buffer;
  /** The target of directed advertising. */
  readonly target: PeerAddress | undefined;
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
  /** The data after the hooks that changed it; undefined: unchanged. */
  readonly payload?: Buffer;
}
