import { completeName, encodeAdvertisingData, generalDiscoverable } from '../../ble/advertising-data.js';
import { Property, type AdvertisingPdu } from '../medium/pdu.js';
import type { Rng } from '../medium/rng.js';

/** An advertisement of a new device with a static random address (Core 5.4 Vol 6 Part B 1.3.2.1). */
export const backgroundAdvertisement = (chance: Rng): AdvertisingPdu => {
  const bytes = Buffer.from(Array.from({ length: 6 }, () => Math.floor(chance() * 256)));
  bytes.writeUInt8(bytes.readUInt8(0) | 0xc0, 0);
  const pairs = bytes.toString('hex').toUpperCase().match(/../g) ?? [];
  return {
    from: { address: pairs.join(':'), type: 'random' },
    properties: Property.legacy,
    response: false,
    data: encodeAdvertisingData([generalDiscoverable, completeName(`background ${pairs.slice(3).join('')}`)]),
    target: undefined,
    primaryPhy: 1,
    secondaryPhy: 0,
    identifier: undefined,
    txPower: undefined,
  };
};
