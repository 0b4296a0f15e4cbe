/** The services of devices, cached until an error shows that they have changed. */
import { MOST_ATTRIBUTES, uuidOf, type GattService } from '../../protocols/esphome/index.js';
import { AttError, shortest } from '../hci/att.js';
import { lacking, type OfferedService } from '../gatt-profile.js';
import type { Address, BleError, GattProfile } from '../ports.js';

/** Errors for a missing attribute: the services have changed (Core 5.4 Vol 3 Part F 3.4.1.1). */
const DISPROVING: readonly number[] = [AttError.invalidHandle, AttError.attributeNotFound];

export const offeredBy = (services: readonly GattService[]): readonly OfferedService[] =>
  services.map((service) => [
    shortest(uuidOf(service)),
    service.characteristics.map((characteristic) => shortest(uuidOf(characteristic))),
  ]);

/** Whether an operation failed because the device no longer has the cached services. */
export const disproves = (error: BleError): boolean =>
  error._tag === 'GattFailed' && error.error !== undefined && DISPROVING.includes(error.error);

/** The number of services, characteristics and descriptors. */
export const countAttributes = (services: readonly GattService[]): number => {
  let count = services.length;
  for (const { characteristics } of services) {
    count += characteristics.length;
    for (const { descriptors } of characteristics) count += descriptors.length;
  }
  return count;
};

export class CachedServices {
  private readonly services = new Map<Address, readonly GattService[]>();
  private attributes = 0;

  /** Calls `forgotten` for each device whose services have changed. */
  constructor(private readonly forgotten: (address: Address) => void) {}

  get(address: Address): readonly GattService[] | undefined {
    return this.services.get(address);
  }

  /** Forgets the services of a device if they lack a part of `profile`. */
  check(address: Address, profile: readonly GattProfile[]): void {
    const cached = this.services.get(address);
    if (cached !== undefined && lacking(profile, offeredBy(cached)) !== undefined) this.forget(address);
  }

  /** Caches services of a device, and removes the oldest devices until all attributes are at most `MOST_ATTRIBUTES`. */
  keep(address: Address, services: readonly GattService[]): void {
    this.remove(address);
    this.services.set(address, services);
    this.attributes += countAttributes(services);
    for (const oldest of this.services.keys()) {
      if (this.attributes <= MOST_ATTRIBUTES) break;
      this.remove(oldest);
    }
  }

  forget(address: Address): void {
    if (this.remove(address)) this.forgotten(address);
  }

  private remove(address: Address): boolean {
    this.attributes -= countAttributes(this.services.get(address) ?? []);
    return this.services.delete(address);
  }
}
