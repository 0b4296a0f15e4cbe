import type { AdvertisingSet } from './advertising-set.js';
import type { HostSettings } from '../host/host-settings.js';
import type { DeviceAddress } from '../medium/pdu.js';

/** `Own_Address_Type` 1, and 3 if the resolving list has no entry, is the random address. */
const RANDOM = 0b01;

/** The address behind `Own_Address_Type`; each numbered set has its own random address. Undefined: it was never set. */
export type OwnAddress = (ownAddressType: number, set?: AdvertisingSet) => DeviceAddress | undefined;

/** `identity`: the address for the types "public". */
export const ownAddressOf =
  (identity: DeviceAddress, settings: HostSettings): OwnAddress =>
  (ownAddressType, set) => {
    if ((ownAddressType & RANDOM) === 0) return identity;
    const address = set?.number === undefined ? settings.randomAddress : set.randomAddress;
    return address === undefined ? undefined : { address, type: 'random' };
  };
