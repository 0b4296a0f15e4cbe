/** Addresses of devices as octets, the most significant first, and resolvable private addresses (Core 5.4 Vol 6 Part B 1.3.2.2 and 1.3.2.3). */
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import { aes128 } from './aes.js';

/** Octets of each half of an address: first `prand`, then its hash. */
const HALF = 3;
const BLOCK = 16;

/** The two most significant bits of `prand`, which distinguish a resolvable address from other random addresses. */
const KIND_MASK = 0xc0;
const RESOLVABLE = 0x40;

/** The other bits of `prand` are random, and neither all 0 nor all 1. */
const RANDOM_BITS = 22;

export const octetsOf = (address: string): Buffer => Buffer.from(address.replaceAll(':', ''), 'hex');

/** `D1:CE:00:00:00:01` of six octets. */
export const addressText = (octets: Buffer): string =>
  (octets.toString('hex').toUpperCase().match(/../g) ?? []).join(':');

/** The address type in packets. */
export const typeOctet = ({ type }: DeviceAddress): number => (type === 'random' ? 1 : 0);

export const sameAddress = (a: DeviceAddress, b: DeviceAddress): boolean =>
  a.address === b.address && a.type === b.type;

/** The random address hash function (Core 5.4 Vol 3 Part H 2.2.2): 3 octets of 3. */
export const ah = (irk: Buffer, prand: Buffer): Buffer =>
  aes128(irk, Buffer.concat([Buffer.alloc(BLOCK - HALF), prand])).subarray(BLOCK - HALF);

export const isResolvable = ({ address, type }: DeviceAddress): boolean =>
  type === 'random' && ((octetsOf(address)[0] ?? 0) & KIND_MASK) === RESOLVABLE;

/** Whether a resolvable address was made with this key. */
export const isMadeWith = (irk: Buffer, address: string): boolean => {
  const octets = octetsOf(address);
  return ah(irk, octets.subarray(0, HALF)).equals(octets.subarray(HALF));
};

/** A new resolvable address. `chance`: a random number in [0, 1). */
export const makeResolvable = (irk: Buffer, chance: number): string => {
  const prand = Buffer.alloc(HALF);
  prand.writeUIntBE(1 + Math.floor(chance * (2 ** RANDOM_BITS - 2)), 0, HALF);
  prand[0] = (prand[0] ?? 0) | RESOLVABLE;
  return addressText(Buffer.concat([prand, ah(irk, prand)]));
};

/** The `n`th address with these first three pairs of digits: `D1:CE:00:00:00:01` of `D1:CE:00` and 1. */
export const nthAddress = (prefix: string, n: number): string =>
  [prefix, ...(n.toString(16).padStart(6, '0').toUpperCase().match(/../g) ?? [])].join(':');

/** `00000A` of `D1:CE:00:00:00:0A`. */
export const lastSixDigits = (address: string): string => address.replaceAll(':', '').slice(-6);
