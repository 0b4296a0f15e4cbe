/** Resolvable private addresses in the form that the air has them. */
import { address as addressField } from '../../../src/bytes/index.js';
import * as octets from '../../ble/resolvable-address.js';
import type { DeviceAddress } from '../medium/pdu.js';

const octetsOf = (address: string): Buffer => Buffer.from(address.replaceAll(':', ''), 'hex');

export const isResolvable = ({ address, type }: DeviceAddress): boolean =>
  type === 'random' && octets.isResolvable(octetsOf(address));

/** Whether an address, which must be a resolvable one, was made with this key. */
export const isMadeWith = (irk: Buffer, address: string): boolean =>
  octets.isMadeWith(irk, octetsOf(address));

/** A new address. `chance`: a random number in [0, 1). */
export const makeResolvable = (irk: Buffer, chance: number): string =>
  addressField.read(octets.makeResolvable(irk, chance).reverse(), 0);
