import type { Address, Radio, Unsubscribe } from '../ble/ports.js';
import type { Events } from './events.js';
import { readingIn, type Sightings } from './sightings.js';

export interface Watch {
  /** To be called whenever a subscription or a link begins or ends. */
  readonly settle: () => void;
  readonly close: () => void;
}

export interface WatchOptions {
  readonly radio: Radio;
  readonly sightings: Sightings;
  readonly events: Events;
  readonly isLinked: (address: Address) => boolean;
}

/** Listens for as long as a clock that somebody subscribed to has no link, and publishes what it advertises. */
export const watchAdvertisements = ({ radio, sightings, events, isLinked }: WatchOptions): Watch => {
  let unlisten: Unsubscribe | undefined;
  let watched = new Set<Address>();

  const stop = (): void => {
    unlisten?.();
    unlisten = undefined;
  };

  return {
    settle: () => {
      watched = new Set([...events.addresses].filter((address) => !isLinked(address)));
      if (watched.size === 0) {
        stop();
        return;
      }
      unlisten ??= radio.listen((advertisement) => {
        const { address } = advertisement;
        if (!watched.has(address)) return;
        const sighting = sightings.note(advertisement);
        const reading = readingIn(advertisement);
        if (sighting === undefined || reading === null) return;
        const { name, rssi } = sighting;
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
