import { shortest } from './hci/att.js';
import type { GattProfile, Uuid } from './ports.js';

/**
 * The first service or characteristic of the profile that a device lacks. `services`: the characteristics of each of its services, all
 * UUIDs as `shortest` writes them.
 */
export const lacking = (
  profile: readonly GattProfile[],
  services: ReadonlyMap<Uuid, readonly Uuid[]>,
): string | undefined => {
  for (const { service, characteristics } of profile) {
    const offered = services.get(shortest(service));
    if (offered === undefined) return `service ${service}`;
    const missing = characteristics.find((required) => !offered.includes(shortest(required)));
    if (missing !== undefined) return `characteristic ${missing}`;
  }
  return undefined;
};
