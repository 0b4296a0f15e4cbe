/** The owners of the devices that a server listens to, as far as it knows. */
import type { Address } from '../ble/ports.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Claim } from '../contract/index.js';
import type { Topics } from '../contract/topics.js';
import { MOST_DEVICES } from './bounded.js';
import type { Broker } from './broker.js';
import {
  isDoubtful,
  isOpenTo,
  nextView,
  NOBODY,
  ownerIn,
  serversIn,
  viewOf,
  withoutUnseen,
  type DeviceView,
  type KnownOwner,
} from './candidates.js';
import type { Identity } from './claims.js';
import type { Presence } from './presence.js';
import { openWatching, type Watching } from './watching.js';

/** How long an owner whose message was replaced has to say again that it is the owner, ms. */
export const UNSEEN_MS = 5_000;

export interface DeviceViewsOptions {
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'publish' | 'subscribe' | 'unsubscribe'>;
  readonly presence: Presence;
  readonly isKept: (address: Address) => boolean;
  readonly changed: () => void;
  readonly time: TimeSource;
}

export interface DeviceViews {
  readonly watching: Watching;
  /** Undefined: several servers may own the device, or it is not known yet. */
  readonly ownerOf: (address: Address) => KnownOwner | undefined;
  /** Whether either nobody or `server` owns the device, and no message will tell. */
  readonly isOpenTo: (address: Address, server: Identity) => boolean;
  /** The message that is retained. */
  readonly lastOf: (address: Address) => Claim | undefined;
  /** Takes a message; undefined: what was retained is cleared. */
  readonly received: (address: Address, claim: Claim | undefined, wasRetained: boolean) => void;
  /** To be called when a server has come or gone. */
  readonly look: () => void;
  readonly lost: () => void;
}

export const openDeviceViews = (options: DeviceViewsOptions): DeviceViews => {
  const { topics, broker, presence, isKept, changed, time } = options;
  const { validityOf } = presence;
  const views = new Map<Address, DeviceView>();
  /** Devices that may have an unseen owner, which has little time left to say so. */
  const doubts = new Map<Address, Cancel>();

  const forget = (address: Address): void => {
    views.delete(address);
    doubts.get(address)?.();
    doubts.delete(address);
  };

  const addressOf = (topic: string): Address => topics.ownedIn(topic) ?? '';

  const watching = openWatching({
    ...{ name: 'owners', echo: topics.echo, broker, changed, time, most: MOST_DEVICES },
    isKept: (topic) => isKept(addressOf(topic)),
    givenUp: (topic) => forget(addressOf(topic)),
  });

  const viewOfDevice = (address: Address): DeviceView => views.get(address) ?? NOBODY;

  const set = (address: Address, view: DeviceView): void => {
    views.set(address, view);
    for (const name of serversIn(view)) presence.watch(name);
  };

  const doubt = (address: Address): void => {
    const end = (): void => {
      doubts.delete(address);
      const view = viewOfDevice(address);
      if (!isDoubtful(view, validityOf)) return;
      set(address, withoutUnseen(view));
      changed();
    };
    if (!doubts.has(address)) doubts.set(address, time.after(UNSEEN_MS, end));
  };

  return {
    watching,
    ownerOf: (address) =>
      watching.isKnown(topics.owner(address)) ? ownerIn(viewOfDevice(address), validityOf) : undefined,
    isOpenTo: (address, server) => isOpenTo(viewOfDevice(address), server, validityOf),
    lastOf: (address) => views.get(address)?.last,
    received: (address, claim, wasRetained) => {
      if (!watching.isWatched(topics.owner(address))) return;
      const view = viewOfDevice(address);
      if (claim === undefined) set(address, { ...view, last: undefined });
      else set(address, wasRetained ? viewOf(claim) : nextView(view, claim, validityOf));
    },
    look: () => {
      for (const [address, view] of views) if (isDoubtful(view, validityOf)) doubt(address);
    },
    lost: () => {
      for (const address of [...views.keys()]) forget(address);
      watching.lost();
    },
  };
};
