import type { Address, Radio, Unsubscribe } from '../ble/ports.js';
import type { TimeSource } from '../async/time.js';
import type { Events } from './events.js';
import type { Sightings } from './sightings.js';

/** Packets with the same reading within this time are one advertisement, ms: a clock sends one about each second. */
const SAME_MS = 500;

interface WatchOptions {
  readonly radio: Radio;
  readonly time: TimeSource;
  readonly sightings: Sightings;
  readonly events: Events;
  /** The clocks whose readings the server keeps. */
  readonly recorded: () => Iterable<Address>;
  /** The clocks whose advertisements are published. */
  readonly needed: () => Iterable<Address>;
  readonly isLinked: (address: Address) => boolean;
}

/** Listens while a recorded or needed clock has no link, and publishes the advertisements of needed clocks. */
export const watchAdvertisements = ({
  radio,
  time,
  sightings,
  events,
  recorded,
  needed,
  isLinked,
}: WatchOptions) => {
  const published = new Map<Address, { readonly reading: string; readonly at: number }>();
  let unlisten: Unsubscribe | undefined;
  let watched = new Set<Address>();

  const stop = (): void => {
    unlisten?.();
    unlisten = undefined;
  };

  return {
    /** Must be called whenever a subscription, a session or a link begins or ends. */
    update: () => {
      watched = new Set([...needed()].filter((address) => !isLinked(address)));
      for (const address of [...published.keys()]) if (!watched.has(address)) published.delete(address);
      if ([...watched, ...recorded()].every(isLinked)) {
        stop();
        return;
      }
      unlisten ??= radio.listen((advertisement) => {
        const { address } = advertisement;
        if (!watched.has(address)) return;
        const sighting = sightings.record(advertisement);
        if (sighting === undefined || sighting.lastReading === null) return;
        const { name, rssi, lastReading: reading } = sighting;
        const same = JSON.stringify(reading);
        const last = published.get(address);
        const at = time.now();
        if (last?.reading === same && at - last.at < SAME_MS) return;
        published.set(address, { reading: same, at });
        const { temperature, humidity, battery } = reading;
        events.publish(address, {
          event: 'advertisement',
          data: { address, name, rssi, temperature, humidity, battery },
        });
      });
    },
    close: stop,
  };
};
