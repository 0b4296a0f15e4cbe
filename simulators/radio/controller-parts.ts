import type { AcceptList } from './accept-list.js';
import type { AdvertisingSet } from './advertising-set.js';
import type { AdvertisingSets } from './advertising-sets.js';
import type { HostQueue } from './host-queue.js';
import type { HostSettings } from './host-settings.js';
import type { Initiator } from './initiator.js';
import type { Links } from './links.js';
import type { Medium } from './medium.js';
import type { OwnAddress } from './own-address.js';
import type { Scanner } from './scanner.js';

/** The parts of a controller. The handlers of a file get those that they need. */
export interface ControllerParts {
  readonly address: string;
  readonly medium: Medium;
  readonly channels: {
    /** Begins the advertising events of a set: for `duration` ms or, if that is 0, until it is stopped. */
    advertise(set: AdvertisingSet, duration: number): void;
    /** The controller began or stopped to scan or to initiate. */
    listeningChanged(): void;
  };
  readonly settings: HostSettings;
  readonly host: HostQueue;
  readonly ownAddress: OwnAddress;
  readonly acceptList: AcceptList;
  readonly advertising: AdvertisingSets;
  readonly scanner: Scanner;
  readonly initiator: Initiator;
  readonly links: Links;
  readonly reset: () => void;
}
