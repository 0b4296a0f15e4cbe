/** Resolvable private addresses (Core 5.4 Vol 6 Part B 1.3.2.2 and 1.3.2.3). */
import { address as addressField } from '../../../src/bytes/index.js';
import { aes128 } from '../host/aes.js';
import type { DeviceAddress } from '../medium/pdu.js';

/** Octets of each half of an address: first `prand`, then its hash. */
const HALF = 3;
const BLOCK = 16;

/** The two most significant bits of `prand`, which tell a resolvable address from other random ones. */
const KIND_MASK = 0xc0;
const RESOLVABLE = 0x40;

/** The other bits of `prand` are random, and neither all 0 nor all 1. */
const RANDOM_BITS = 22;

/** The random address hash function (Core 5.4 Vol 3 Part H 2.2.2): 3 octets of 3, the most significant first, as the key is. */
export const ah = (irk: Buffer, prand: Buffer): Buffer =>
  aes128(irk, Buffer.concat([Buffer.alloc(BLOCK - HALF), prand])).subarray(BLOCK - HALF);

/** The octets of an address, the most significant first. */
const octetsOf = (address: string): Buffer => Buffer.from(address.replaceAll(':', ''), 'hex');

export const isResolvable = ({ address, type }: DeviceAddress): boolean =>
  type === 'random' && (parseInt(address.slice(0, 2), 16) & KIND_MASK) === RESOLVABLE;

/** Whether an address, which must be a resolvable one, was made with this key. */
export const isMadeWith = (irk: Buffer, address: string): boolean => {
  const octets = octetsOf(address);
  return ah(irk, octets.subarray(0, HALF)).equals(octets.subarray(HALF));
};

/** A new address. `chance`: a random number in [0, 1). */
export const makeResolvable = (irk: Buffer, chance: number): string => {
  const prand = Buffer.alloc(HALF);
  prand.writeUIntBE(1 + Math.floor(chance * (2 ** RANDOM_BITS - 2)), 0, HALF);
  prand[0] = (prand[0] ?? 0) | RESOLVABLE;
  const octets = Buffer.concat([prand, ah(irk, prand)]);
  return addressField.read(octets.reverse(), 0);
};
