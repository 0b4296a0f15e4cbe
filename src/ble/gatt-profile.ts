import { shortest } from './hci/att.js';
import type { GattProfile, Uuid } from './ports.js';

/** UUIDs as `shortest` writes them. */
export interface OfferedCharacteristic {
  readonly service: Uuid;
  readonly uuid: Uuid;
}

/** The first service or characteristic of the profile that a device lacks. */
export const lacking = (
  profile: readonly GattProfile[],
  characteristics: readonly OfferedCharacteristic[],
): string | undefined => {
  for (const { service, characteristics: required } of profile) {
    const offered = characteristics.filter((each) => each.service === shortest(service));
    if (offered.length === 0) return `service ${service}`;
    const missing = required.find((uuid) => !offered.some((each) => each.uuid === shortest(uuid)));
    if (missing !== undefined) return `characteristic ${missing}`;
  }
  return undefined;
};
