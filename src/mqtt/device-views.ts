/** The owners of the devices that a server listens to, as far as it knows. */
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import type { Claim } from '../contract/index.js';
import { MOST_DEVICES } from './bounded.js';
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
import type { Peer } from './claims.js';
import type { Presence } from './presence.js';
import { Watching } from './watching.js';

/** The time in which an owner whose message was replaced repeats it, ms. */
export const UNSEEN_MS = 5_000;

export interface DeviceViewsOptions {
  readonly isKept: (address: Address) => boolean;
  readonly changed: () => void;
}

export class DeviceViews {
  readonly watching: Watching;
  private readonly views = new Map<Address, DeviceView>();
  /** Devices that may have an unseen owner, until its time to repeat its message ends. */
  private readonly doubts = new Map<Address, Cancel>();

  constructor(
    private readonly peer: Peer,
    private readonly presence: Presence,
    private readonly options: DeviceViewsOptions,
  ) {
    this.watching = new Watching(peer, {
      ...{ name: 'owners', topicOf: peer.topics.owner, most: MOST_DEVICES, ...options },
      dropped: (address) => this.forget(address),
    });
  }

  /** The owner of a device; undefined: several servers may own it, or its topic is not known yet. */
  ownerOf(address: Address): KnownOwner | undefined {
    return this.watching.isKnown(address)
      ? ownerIn(this.viewOf(address), this.presence.validityOf)
      : undefined;
  }

  /** Whether the owner is nobody or this server, and no message will show which. */
  isOpenToSelf(address: Address): boolean {
    return isOpenTo(this.viewOf(address), this.peer.self, this.presence.validityOf);
  }

  /** The retained message about a device. */
  lastOf(address: Address): Claim | undefined {
    return this.views.get(address)?.last;
  }

  /** Takes a message; undefined: the retained message is cleared. */
  received(address: Address, claim: Claim | undefined, wasRetained: boolean): void {
    if (!this.watching.isWatched(address)) return;
    const view = this.viewOf(address);
    if (claim === undefined) this.set(address, { ...view, last: undefined });
    else this.set(address, wasRetained ? viewOf(claim) : nextView(view, claim, this.presence.validityOf));
  }

  /** To be called when a server has come or gone. */
  look(): void {
    for (const [address, view] of this.views)
      if (isDoubtful(view, this.presence.validityOf) && !this.doubts.has(address)) this.doubt(address);
  }

  lost(): void {
    for (const address of [...this.views.keys()]) this.forget(address);
    this.watching.lost();
  }

  private viewOf(address: Address): DeviceView {
    return this.views.get(address) ?? NOBODY;
  }

  private set(address: Address, view: DeviceView): void {
    this.views.set(address, view);
    for (const name of serversIn(view)) this.presence.watch(name);
  }

  private forget(address: Address): void {
    this.views.delete(address);
    this.doubts.get(address)?.();
    this.doubts.delete(address);
  }

  private doubt(address: Address): void {
    const end = (): void => {
      this.doubts.delete(address);
      const view = this.viewOf(address);
      if (!isDoubtful(view, this.presence.validityOf)) return;
      this.set(address, withoutUnseen(view));
      this.options.changed();
    };
    this.doubts.set(address, this.peer.time.after(UNSEEN_MS, end));
  }
}
