import type { AcceptList } from '../scanning/accept-list.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import type { AdvertisingSets } from '../advertising/advertising-sets.js';
import type { HostQueue } from '../host/host-queue.js';
import type { HostSettings } from '../host/host-settings.js';
import type { Initiator, Links } from '../connections/links.js';
import type { Medium } from '../medium/medium.js';
import type { Privacy } from '../privacy/privacy.js';
import type { Scanner } from '../scanning/scanner.js';

/** The parts of a controller, on which its handlers act. */
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
  readonly privacy: Privacy;
  readonly acceptList: AcceptList;
  readonly advertising: AdvertisingSets;
  readonly scanner: Scanner;
  readonly initiator: Initiator;
  readonly links: Links;
  readonly reset: () => void;
}
