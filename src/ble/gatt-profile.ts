import { shortest } from './hci/att.js';
import type { GattProfile, Uuid } from './ports.js';

/** A service with its characteristics; all UUIDs as `shortest` writes them. */
export type OfferedService = readonly [uuid: Uuid, characteristics: readonly Uuid[]];

/** The first service or characteristic of the profile that a device lacks. */
export const lacking = (
  profile: readonly GattProfile[],
  services: readonly OfferedService[],
): string | undefined => {
  for (const { service, characteristics } of profile) {
    const offered = services.filter(([uuid]) => uuid === shortest(service));
    if (offered.length === 0) return `service ${service}`;
    const missing = characteristics.find((uuid) => !offered.some(([, all]) => all.includes(shortest(uuid))));
    if (missing !== undefined) return `characteristic ${missing}`;
  }
  return undefined;
};
