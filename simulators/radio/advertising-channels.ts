import type { AdvertisingSet } from './advertising-set.js';

/** The advertising channels, as one controller uses them. */
export interface AdvertisingChannels {
  /** Begins the advertising events of a set: for `duration` ms or, if that is 0, until it is stopped. */
  advertise(set: AdvertisingSet, duration: number): void;
  /** The controller began or stopped to scan or to initiate. */
  listeningChanged(): void;
}
