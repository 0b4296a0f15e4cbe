/** The devices that a proxy has heard lately, and the listeners for their advertisements. */
import type { TimeSource } from '../../async/time.js';
import { addressText, type RawAdvertisement } from '../../esphome/index.js';
import { AdvertisementCache, type Memory } from '../advertisement-cache.js';
import type { Address, Advertisement, Unsubscribe } from '../ports.js';
import { contentsOf } from './advertisement.js';

/** What ESP-IDF reports where there is no measurement, dBm. */
const UNKNOWN_RSSI = -127;

export class Hearing {
  readonly cache: AdvertisementCache;
  private readonly addressTypes = new Map<Address, number>();
  private readonly listeners = new Set<(advertisement: Advertisement) => void>();

  constructor(
    private readonly time: TimeSource,
    memory: Memory,
  ) {
    this.cache = new AdvertisementCache(time, memory, (address) => void this.addressTypes.delete(address));
  }

  listen(listener: (advertisement: Advertisement) => void): Unsubscribe {
    const entry = (advertisement: Advertisement): void => listener(advertisement);
    this.listeners.add(entry);
    return () => void this.listeners.delete(entry);
  }

  /** The address type of a device; 0, public, if it has not advertised lately. */
  addressType(address: Address): number {
    return this.addressTypes.get(address) ?? 0;
  }

  /** Adds a packet; returns the address of its device. */
  add({ address: number, rssi, addressType, data }: RawAdvertisement): Address {
    const address = addressText(number);
    this.addressTypes.set(address, addressType);
    const advertisement: Advertisement = {
      ...contentsOf(Buffer.from(data), this.cache.get(address)),
      ...{ address, rssi: rssi === UNKNOWN_RSSI ? null : rssi, connectable: true },
      heardAt: this.time.date(),
    };
    this.cache.add(advertisement);
    for (const listener of [...this.listeners]) listener(advertisement);
    return address;
  }

  /** Nothing is heard any more. */
  clear(): void {
    this.cache.clear();
    this.addressTypes.clear();
  }
}
