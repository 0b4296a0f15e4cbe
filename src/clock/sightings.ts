/** What clocks say of themselves without a link, and how full their batteries are. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import type { Address, Advertisement } from '../ble/ports.js';
import {
  CLOCK_SERVICE,
  decodeReadingAdvertisement,
  isClockName,
  READING_SERVICE_DATA,
  type ReadingAdvertisement,
} from './protocol/index.js';

/** More clocks than this are forgotten, those heard longest ago first. */
const MEMORY = 2000;

/** A clock heard; it says its name and its readings in different packets. */
export interface Sighting {
  readonly address: Address;
  readonly name: string;
  /** dBm; null: unknown. */
  readonly rssi: number | null;
  readonly reading: ReadingAdvertisement | null;
}

export interface Battery {
  /** Per cent. */
  readonly level: number;
  readonly source: 'advertisement' | 'gatt';
}

export interface Sightings {
  /** Takes note of a clock; undefined if it is none. */
  readonly note: (advertisement: Advertisement) => Sighting | undefined;
  readonly of: (address: Address) => Sighting | undefined;
  /** A level was read from the clock itself. */
  readonly measured: (address: Address, level: number) => void;
  /** The advertised level if there ever was one, since real clocks measure 99 always. */
  readonly battery: (address: Address) => Battery | undefined;
}

/** The reading in this very packet, if any. */
export const readingIn = ({ serviceData }: Advertisement): ReadingAdvertisement | null =>
  pipe(
    serviceData.find(({ uuid }) => uuid === READING_SERVICE_DATA),
    E.fromNullable(undefined),
    E.chainW(({ data }) => decodeReadingAdvertisement(data)),
    E.getOrElseW(() => null),
  );

const isClock = ({ name, serviceUuids }: Advertisement): boolean =>
  (name !== null && isClockName(name)) || serviceUuids.includes(CLOCK_SERVICE);

/** `changed` is told of each new level of a battery. */
export const openSightings = (changed: (address: Address, level: number) => void): Sightings => {
  /** Heard longest ago first. */
  const sightings = new Map<Address, Sighting>();
  const batteries = new Map<Address, Battery>();

  const charge = (address: Address, battery: Battery): void => {
    const before = batteries.get(address);
    if (before?.source === 'advertisement' && battery.source === 'gatt') return;
    batteries.set(address, battery);
    if (before?.level !== battery.level) changed(address, battery.level);
  };

  return {
    note: (advertisement) => {
      const { address, name, rssi } = advertisement;
      const before = sightings.get(address);
      const reading = readingIn(advertisement);
      if (before === undefined && reading === null && !isClock(advertisement)) return undefined;
      const sighting: Sighting = {
        address,
        name: name ?? before?.name ?? '',
        rssi,
        reading: reading ?? before?.reading ?? null,
      };
      sightings.delete(address);
      sightings.set(address, sighting);
      const [oldest] = sightings.keys();
      if (sightings.size > MEMORY && oldest !== undefined) {
        sightings.delete(oldest);
        batteries.delete(oldest);
      }
      const level = reading?.battery ?? null;
      if (level !== null) charge(address, { level, source: 'advertisement' });
      return sighting;
    },
    of: (address) => sightings.get(address),
    measured: (address, level) => charge(address, { level, source: 'gatt' }),
    battery: (address) => batteries.get(address),
  };
};
