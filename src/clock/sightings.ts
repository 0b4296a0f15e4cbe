/** Advertisements of clocks, and the levels of their batteries. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import { setNewest } from '../async/newest.js';
import type { Address, Advertisement } from '../ble/ports.js';
import {
  CLOCK_SERVICE,
  CONSTANT_BATTERY,
  decodeReadingAdvertisement,
  isClockName,
  READING_SERVICE_DATA,
  type ReadingAdvertisement,
} from '../protocols/cgd1/index.js';

/** The most clocks that are remembered; clocks whose last packet is oldest are forgotten first. */
const MEMORY = 2000;

/** A clock that has advertised; it sends its name and its readings in different packets. */
export interface Sighting {
  readonly address: Address;
  /** The last advertised name; empty: none. */
  readonly name: string;
  /** dBm; null: unknown. */
  readonly rssi: number | null;
  /** The last advertised reading. */
  readonly reading: ReadingAdvertisement | null;
  /** Whether a link has brought a newer reading. */
  readonly outdated: boolean;
  readonly last: Advertisement;
  /** The reading in the last packet. */
  readonly lastReading: ReadingAdvertisement | null;
}

/** A battery level, per cent. `read`: from a read of the battery service, without any advertised or notified level. */
export type Battery =
  | { readonly from: 'advertisement'; readonly level: number; readonly heardAt: Date }
  | { readonly from: 'notification' | 'read'; readonly level: number };

const readingIn = ({ serviceData }: Advertisement): ReadingAdvertisement | null =>
  pipe(
    serviceData.find(({ uuid }) => uuid === READING_SERVICE_DATA),
    E.fromNullable(undefined),
    E.chainW(({ data }) => decodeReadingAdvertisement(data)),
    E.getOrElseW(() => null),
  );

const isClock = ({ name, serviceUuids }: Advertisement): boolean =>
  (name !== null && isClockName(name)) || serviceUuids.includes(CLOCK_SERVICE);

interface SightingsOptions {
  /** Called with each new level of a battery. */
  readonly levelChanged: (address: Address, level: number) => void;
  /** Called when a clock advertises another name than before. */
  readonly renamed: (address: Address) => void;
}

export const openSightings = ({ levelChanged, renamed }: SightingsOptions) => {
  /** The clock whose last packet is oldest comes first. */
  const sightings = new Map<Address, Sighting>();
  const batteries = new Map<Address, Battery>();

  const recordBattery = (address: Address, battery: Battery): void => {
    const before = batteries.get(address);
    if (battery.from === 'read' && before !== undefined && before.from !== 'read') return;
    setNewest(batteries, address, battery, MEMORY);
    if (before?.level !== battery.level) levelChanged(address, battery.level);
  };

  return {
    /** Records an advertisement, the same object only once; undefined: it does not come from a clock. */
    record: (advertisement: Advertisement): Sighting | undefined => {
      const { address, name, rssi } = advertisement;
      const before = sightings.get(address);
      if (before?.last === advertisement) return before;
      const lastReading = readingIn(advertisement);
      if (before === undefined && lastReading === null && !isClock(advertisement)) return undefined;
      const sighting: Sighting = {
        address,
        name: name ?? before?.name ?? '',
        rssi,
        reading: lastReading ?? before?.reading ?? null,
        outdated: lastReading === null && before?.outdated === true,
        last: advertisement,
        lastReading,
      };
      setNewest(sightings, address, sighting, MEMORY);
      if (before !== undefined && before.name !== sighting.name) renamed(address);
      const level = lastReading?.battery ?? null;
      if (level !== null)
        recordBattery(address, { from: 'advertisement', level, heardAt: advertisement.heardAt });
      return sighting;
    },
    of: (address: Address): Sighting | undefined => sightings.get(address),
    /** Marks the advertised reading of a clock as older than a reading of its link. */
    markStale: (address: Address) => {
      const sighting = sightings.get(address);
      if (sighting?.outdated === false) sightings.set(address, { ...sighting, outdated: true });
    },
    /** Records the signal of a link, dBm. */
    linkHeard: (address: Address, rssi: number | null) => {
      const sighting = sightings.get(address);
      if (sighting !== undefined) sightings.set(address, { ...sighting, rssi });
    },
    /** Records a level from the battery service of a clock. */
    measured: (address: Address, level: number, from: 'notification' | 'read') =>
      recordBattery(address, { from: level === CONSTANT_BATTERY ? 'read' : from, level }),
    /** The last level. A read level counts only without any other level, since real clocks always answer 99. */
    battery: (address: Address): Battery | undefined => batteries.get(address),
  };
};

export type Sightings = ReturnType<typeof openSightings>;
