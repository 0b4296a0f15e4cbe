/** The devices that a proxy has heard lately. */
import type { TimeSource } from '../../async/time.js';
import { addressText, type RawAdvertisement } from '../../protocols/esphome/index.js';
import { AdvertisementCache, type Memory } from '../advertisement-cache.js';
import type { Address, Advertisement } from '../ports.js';
import { contentsOf } from './advertisement.js';

/** The RSSI that ESP-IDF reports without a measurement, dBm. */
const UNKNOWN_RSSI = -127;

export class Hearing {
  readonly cache: AdvertisementCache;
  private readonly addressTypes = new Map<Address, number>();

  constructor(
    private readonly time: TimeSource,
    memory: Memory,
  ) {
    this.cache = new AdvertisementCache(time, memory, (address) => void this.addressTypes.delete(address));
  }

  /** The address type of a device; 0, public, if it has not advertised lately. */
  addressType(address: Address): number {
    return this.addressTypes.get(address) ?? 0;
  }

  /** Adds a packet. */
  add({ address: number, rssi, addressType, data }: RawAdvertisement): Advertisement {
    const address = addressText(number);
    this.addressTypes.set(address, addressType);
    const advertisement: Advertisement = {
      ...contentsOf(Buffer.from(data), this.cache.get(address)),
      ...{ address, rssi: rssi === UNKNOWN_RSSI ? null : rssi, connectable: true },
      heardAt: this.time.date(),
    };
    this.cache.add(advertisement);
    return advertisement;
  }

  /** Forgets all devices. */
  clear(): void {
    this.cache.clear();
    this.addressTypes.clear();
  }

  /** Forgets all devices, and remembers no other from now on. */
  close(): void {
    this.cache.close();
    this.addressTypes.clear();
  }
}
