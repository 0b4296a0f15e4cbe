/** The services of devices, cached until they turn out to have changed. */
import { uuidOf, type GattService } from '../../esphome/index.js';
import { AttError } from '../hci/att.js';
import type { Address, BleError, GattProfile } from '../ports.js';
import { shortest } from '../uuids.js';

/** Errors for a missing attribute: the services have changed (Core 5.4 Vol 3 Part F 3.4.1.1). */
const DISPROVING: readonly number[] = [AttError.invalidHandle, AttError.attributeNotFound];

/** The profile's first service or characteristic that is not offered. */
export const lacking = (
  profile: readonly GattProfile[],
  services: readonly GattService[],
): string | undefined => {
  for (const { service: wanted, characteristics } of profile) {
    const service = services.find((one) => shortest(uuidOf(one)) === shortest(wanted));
    if (service === undefined) return `service ${wanted}`;
    const offered = service.characteristics.map((one) => shortest(uuidOf(one)));
    const missing = characteristics.find((uuid) => !offered.includes(shortest(uuid)));
    if (missing !== undefined) return `characteristic ${missing}`;
  }
  return undefined;
};

/** Whether an operation failed because the services are not those that were kept. */
export const disproves = (error: BleError): boolean =>
  error._tag === 'GattFailed' && error.error !== undefined && DISPROVING.includes(error.error);

export class KnownServices {
  private readonly services = new Map<Address, readonly GattService[]>();

  /** `most`: number of devices at most. Calls `forgotten` for each whose services have changed. */
  constructor(
    private readonly most: number,
    private readonly forgotten: (address: Address) => void,
  ) {}

  get(address: Address): readonly GattService[] | undefined {
    return this.services.get(address);
  }

  /** Forgets those of a device that lack a part of `profile`. */
  check(address: Address, profile: readonly GattProfile[]): void {
    const known = this.services.get(address);
    if (known !== undefined && lacking(profile, known) !== undefined) this.forget(address);
  }

  keep(address: Address, services: readonly GattService[]): void {
    this.services.delete(address);
    this.services.set(address, services);
    const [oldest] = this.services.keys();
    if (this.services.size > this.most && oldest !== undefined) this.services.delete(oldest);
  }

  forget(address: Address): void {
    if (this.services.delete(address)) this.forgotten(address);
  }
}
