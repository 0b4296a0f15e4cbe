import { typeCode, type DeviceAddress } from '../medium/pdu.js';

/** How many devices the list has room for. */
export const ACCEPT_LIST_SIZE = 16;

/** The address type of the entry for all anonymous advertisers. */
export const ANONYMOUS = 0xff;

/** The filter accept list of one controller (Core 5.4 Vol 6 Part B 4.3.1). */
export class AcceptList {
  private readonly entries = new Set<string>();

  get full(): boolean {
    return this.entries.size >= ACCEPT_LIST_SIZE;
  }

  add(type: number, address: string): void {
    this.entries.add(key(type, address));
  }

  remove(type: number, address: string): void {
    this.entries.delete(key(type, address));
  }

  clear(): void {
    this.entries.clear();
  }

  /** An undefined device is an anonymous advertiser. */
  includes(device: DeviceAddress | undefined): boolean {
    return this.entries.has(
      device === undefined ? key(ANONYMOUS, '') : key(typeCode(device), device.address),
    );
  }

  has(type: number, address: string): boolean {
    return this.entries.has(key(type, address));
  }
}

/** An identity is the same address, whether it was resolved or not: types 2 and 3 are 0 and 1. */
const key = (type: number, address: string): string =>
  type === ANONYMOUS ? `${ANONYMOUS}` : `${type & 1} ${address}`;
