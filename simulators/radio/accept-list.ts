import { Status } from '../../src/ble/hci/status.js';
import { refuse, type Handlers, type Refusal } from './command-handlers.js';
import type { Controller } from './controller.js';
import { typeCode, type DeviceAddress } from './pdu.js';

/** How many devices the list has room for. */
const ACCEPT_LIST_SIZE = 16;

/** The type of the entry that stands for all anonymous advertisers. */
const ANONYMOUS = 0xff;

/** Whom a controller heeds where its host asked for a filter (Core 5.4 Vol 6 Part B 4.3.1). */
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

const key = (type: number, address: string): string =>
  type === ANONYMOUS ? `${ANONYMOUS}` : `${type} ${address}`;

/** Why the list must not change now (Core 5.4 Vol 4 Part E 7.8.15). */
const busy = ({ advertising, scanner, initiating }: Controller): Refusal | undefined => {
  const user = advertising.enabled().some((set) => set.filtersScans || set.filtersConnections)
    ? 'advertising'
    : scanner.enabled && scanner.filtered
      ? 'scanning'
      : initiating?.peer === undefined && initiating !== undefined
        ? 'initiating'
        : undefined;
  return user === undefined
    ? undefined
    : refuse(Status.commandDisallowed, `the filter accept list must not change while ${user} uses it`);
};

const knownType = (type: number): Refusal | undefined =>
  type <= 1 || type === ANONYMOUS
    ? undefined
    : refuse(Status.invalidParameters, `Address_Type must be 0x00, 0x01 or 0xFF, got ${type}`);

/** The filter accept list (Core 5.4 Vol 4 Part E 7.8.14 to 7.8.17). */
export const acceptListCommands = (controller: Controller) => {
  const { acceptList } = controller;
  return {
    leReadFilterAcceptListSize: () => ({ size: ACCEPT_LIST_SIZE }),
    leClearFilterAcceptList: () => {
      const refusal = busy(controller);
      if (refusal !== undefined) return refusal;
      acceptList.clear();
      return Status.success;
    },
    leAddToFilterAcceptList: ({ addressType, address }) => {
      const refusal = busy(controller) ?? knownType(addressType);
      if (refusal !== undefined) return refusal;
      if (acceptList.full && !acceptList.has(addressType, address)) {
        return refuse(Status.memoryCapacityExceeded, `the list has room for ${ACCEPT_LIST_SIZE} devices`);
      }
      acceptList.add(addressType, address);
      return Status.success;
    },
    leRemoveFromFilterAcceptList: ({ addressType, address }) => {
      const refusal = busy(controller) ?? knownType(addressType);
      if (refusal !== undefined) return refusal;
      acceptList.remove(addressType, address);
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
