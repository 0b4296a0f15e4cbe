/** This server's part in deciding which server of a fleet owns each device. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { shrink } from '../async/newest.js';
import { ABORTED, type DeviceError } from '../devices/device-error.js';
import type { Ownership } from '../devices/ownership.js';
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import { wait, type Unmet } from '../async/wait.js';
import type { Message } from './broker.js';
import type { KnownOwner } from './candidates.js';
import { announce, isSame, LATE_MS, readClaim, type Identity, type Peer, type Status } from './claims.js';
import { DeviceViews } from './device-views.js';
import { OwnClaims } from './own-claims.js';
import { Presence } from './presence.js';

/** The timeout for settling a claim, ms. */
export const ANSWER_MS = 5_000;
/** The time between two messages about a disputed link, until one of the two servers notices that it has no link, ms. */
const CONFLICT_MS = 1_000;
/**
 * The time after which one of two servers gives up a device that both have a link to, since the device takes several links: a
 * Bluetooth proxy that vanishes is noticed after 90 s at the latest, ms.
 */
export const SHARED_MS = 100_000;
/** The number of earlier connections whose instances this server recognises. */
const MOST_EARLIER = 100;

/** The owner of a device, as a server sees it; `unknown` before it has joined, or while several servers may own it. */
export type Standing = 'own' | 'elsewhere' | 'nobody' | 'unknown';

export interface OwnersOptions {
  readonly isLinked: (address: Address) => boolean;
  /** Called after each message, and when claims may begin. */
  readonly changed: () => void;
  /** Called when the retained messages of `subscriptions` have arrived. */
  readonly joined: () => void;
  /** Another server has claimed a device of this server, and may have written to its other topics. */
  readonly disputed: (address: Address) => void;
}

/** Another server has a link to a device of this server, too. */
interface Conflict {
  readonly owner: string;
  readonly since: number;
  /** The time of this server's last message about it. */
  at: number;
  cancel: Cancel | undefined;
}

const unclaimed = (address: Address, unmet: Unmet): E.Either<DeviceError, never> =>
  E.left(unmet === 'aborted' ? ABORTED : { _tag: 'Unclaimed', address, cause: 'silence' });

export class Owners {
  readonly ownership: Ownership = {
    check: (address) => this.check(address),
    claim: (address, signal) => () => this.claim(address, signal),
    release: (address) => {
      this.claims.release(address);
      this.settle(address);
    },
    onTaken: (listener) => {
      this.takenListeners.add(listener);
      return () => this.takenListeners.delete(listener);
    },
  };
  private readonly claims: OwnClaims;
  private readonly presence: Presence;
  private readonly views: DeviceViews;
  private readonly conflicts = new Map<Address, Conflict>();
  private readonly watchers = new Set<() => void>();
  private readonly takenListeners = new Set<Parameters<Ownership['onTaken']>[0]>();
  private readonly earlierInstances = new Set<string>();
  private onlineAgain: { readonly cancel: Cancel; readonly wasRetained: boolean } | undefined;
  /** `joining`: until this server's status comes back from the broker, after all retained messages. */
  private phase: 'away' | 'joining' | 'joined' = 'away';

  constructor(
    private readonly peer: Peer,
    private readonly options: OwnersOptions,
  ) {
    const changed = (): void => this.notify();
    this.claims = new OwnClaims(peer, (address) => this.settle(address));
    this.presence = new Presence(peer, changed);
    this.views = new DeviceViews(peer, this.presence, {
      isKept: (address) => this.held.has(address) || this.claims.lastOf(address) !== undefined,
      changed,
    });
  }

  /** The devices that this server has or is claiming. */
  get held(): ReadonlyMap<Address, unknown> {
    return this.claims.held;
  }

  /** The other server that owns a device. */
  elsewhere(address: Address): Identity | undefined {
    const owner = this.ownerOf(address)?.owner;
    return this.isSelf(owner) ? undefined : owner;
  }

  standing(address: Address): Standing {
    const view = this.ownerOf(address);
    if (view === undefined) return 'unknown';
    if (view.owner === undefined) return 'nobody';
    return this.isSelf(view.owner) ? 'own' : 'elsewhere';
  }

  epochOf(address: Address): number {
    return this.claims.epochOf(address);
  }

  /** Listens to the owner of a device from now on. */
  watch(address: Address): void {
    this.views.watching.watch(address);
  }

  /** The topics for the subscription at the beginning of a connection. */
  subscriptions(): readonly string[] {
    const { server, asked, echo } = this.peer.topics;
    return [server, asked, echo, ...this.presence.watching.begin(), ...this.views.watching.begin()];
  }

  /** To be called when `subscriptions` are acknowledged; until then, claims are granted. */
  opened(): void {
    this.phase = 'joining';
    for (const address of this.held.keys()) this.watch(address);
    this.presence.watching.opened();
    this.views.watching.opened();
    announce(this.peer, 'online');
  }

  lost(): void {
    this.rememberEarlier(this.peer.self.instance);
    this.close();
    // A claim that the broker did not settle is granted, like all claims without a broker.
    for (const address of this.held.keys()) this.claims.held.set(address, 'held');
    for (const watcher of this.watchers) watcher();
  }

  close(): void {
    this.phase = 'away';
    this.onlineAgain?.cancel();
    this.onlineAgain = undefined;
    for (const { cancel } of this.conflicts.values()) cancel?.();
    this.conflicts.clear();
    this.presence.lost();
    this.views.lost();
    this.claims.clear();
  }

  echoed({ payload }: Message): void {
    for (const { watching } of [this.presence, this.views]) watching.echoed(payload);
  }

  /** Answers another server that asks whether this server is online. */
  asked(): void {
    this.presence.asked();
  }

  receiveStatus(name: string, message: Message): void {
    const status = this.presence.received(name, message);
    if (status !== undefined && name === this.peer.self.name) this.receiveOwnStatus(status, message.retained);
    this.notify();
  }

  receiveClaim(address: Address, { payload, retained: wasRetained }: Message): void {
    const claim = payload.length === 0 ? undefined : readClaim(payload);
    // An invalid message is ignored; an empty one clears the retained message.
    if (claim !== undefined || payload.length === 0) {
      if (claim !== undefined && !wasRetained) this.presence.spoke(claim);
      this.views.received(address, claim, wasRetained);
      if (claim !== undefined) this.claims.receive(address, claim);
    }
    this.notify();
  }

  /** Acts on the owner of a device once the owner is certain; also to be called when a link has begun or ended. */
  settle(address: Address): void {
    if (this.phase !== 'joined' || this.claims.isEchoPending(address)) return;
    const holding = this.claims.held.get(address);
    const isClaimed = this.claims.lastOf(address) === 'claimed';
    const view = this.ownerOf(address);
    if (view === undefined) {
      // The other candidate has gone since the claim.
      if (isClaimed && this.views.isOpenToSelf(address) && this.isValid())
        this.claims.publish(address, 'claimed');
    } else if (holding === undefined) this.tidy(address, view.owner);
    else if (holding === 'held') this.settleHeld(address, view.owner);
    else if (isClaimed) {
      if (this.isSelf(view.owner)) {
        this.claims.held.set(address, 'held');
        this.claims.publish(address, 'owned');
      } else this.claims.release(address);
    }
  }

  /** Publishes once more that this server owns a device. */
  repeat(address: Address): void {
    if (this.elsewhere(address) === undefined && this.claims.lastOf(address) === 'owned')
      this.claims.publish(address, 'owned');
  }

  private isSelf(server: Identity | undefined): boolean {
    return server !== undefined && isSame(server, this.peer.self);
  }

  private isValid(): boolean {
    return this.presence.validityOf(this.peer.self) === 'valid';
  }

  private ownerOf(address: Address): KnownOwner | undefined {
    return this.phase === 'joined' ? this.views.ownerOf(address) : undefined;
  }

  private notify(): void {
    this.views.look();
    for (const address of this.claims.devices) this.settle(address);
    for (const watcher of this.watchers) watcher();
    this.options.changed();
  }

  private settleHeld(address: Address, owner: Identity | undefined): void {
    const last = this.views.lastOf(address);
    if (this.isSelf(owner)) {
      if (this.claims.lastOf(address) === 'owned' && last?.state === 'owned' && this.isSelf(last)) return;
      this.claims.publish(address, 'owned');
      if (!this.isSelf(last)) this.options.disputed(address);
    } else if (this.options.isLinked(address)) {
      if (owner === undefined) this.claims.publish(address, 'owned');
      else this.dispute(address, owner);
    } else if (owner === undefined) {
      if (this.isValid()) this.claims.publish(address, 'claimed');
    } else this.lose(address, owner);
  }

  private lose(address: Address, owner: Identity): void {
    this.conflicts.delete(address);
    this.claims.release(address);
    this.peer.log.info({ address, owner: owner.name }, 'another server has got the device');
    for (const listener of this.takenListeners) listener(address, owner.name);
  }

  /** Publishes again that this server owns a device, until one of the two servers notices that it has no link. */
  private dispute(address: Address, owner: Identity): void {
    const { time, self } = this.peer;
    const now = time.now();
    const before = this.conflicts.get(address);
    if (before?.cancel !== undefined) return;
    const continues = before?.owner === owner.name && now - before.at < LATE_MS;
    const since = continues ? before.since : now;
    if (now - since > SHARED_MS && owner.instance > self.instance) {
      this.lose(address, owner);
      return;
    }
    const repeat = (): void => {
      conflict.at = time.now();
      conflict.cancel = undefined;
      if (this.held.has(address) && this.options.isLinked(address) && this.elsewhere(address) !== undefined)
        this.claims.publish(address, 'owned');
    };
    const conflict: Conflict = { owner: owner.name, since, at: now, cancel: time.after(CONFLICT_MS, repeat) };
    this.conflicts.set(address, conflict);
  }

  /** Releases stale claims of this server, so that others see that the device is free. */
  private tidy(address: Address, owner: Identity | undefined): void {
    const last = this.views.lastOf(address);
    const isStale = this.isSelf(last) && last?.state !== 'released';
    const isOverdue = owner === undefined && this.claims.isWithdrawnLongAgo(address);
    if (isOverdue || (isStale && (owner === undefined || this.isSelf(owner))))
      this.claims.publish(address, 'released');
  }

  private join(): void {
    this.phase = 'joined';
    this.presence.watching.began();
    this.views.watching.began();
    this.options.joined();
    // Other servers may meanwhile have claimed linked devices of this server.
    for (const [address, holding] of this.claims.held)
      if (holding === 'held' && this.options.isLinked(address) && this.claims.lastOf(address) === undefined)
        this.claims.publish(address, 'owned');
  }

  private receiveOwnStatus({ status, instance }: Status, wasRetained: boolean): void {
    const isCurrent = instance === this.peer.self.instance;
    if (!isCurrent && status === 'offline') this.rememberEarlier(instance);
    if (isCurrent && status === 'online' && this.phase === 'joining') this.join();
    else if (status === 'offline' || this.earlierInstances.has(instance)) this.sayOnlineAgain(wasRetained);
    else if (!isCurrent) this.warnOfNamesake(wasRetained);
  }

  private rememberEarlier(instance: string): void {
    this.earlierInstances.add(instance);
    shrink(this.earlierInstances, MOST_EARLIER);
  }

  /**
   * Replaces messages of earlier connections: a late one at once (`opened` has replaced a retained one), and all once more
   * later, for the brokers of a cluster.
   */
  private sayOnlineAgain(wasRetained: boolean): void {
    const pending = this.onlineAgain;
    if (pending !== undefined && (wasRetained || !pending.wasRetained)) return;
    pending?.cancel();
    if (!wasRetained) this.sayOnline();
    const cancel = this.peer.time.after(LATE_MS, () => {
      this.onlineAgain = undefined;
      this.sayOnline();
    });
    this.onlineAgain = { cancel, wasRetained };
  }

  private sayOnline(): void {
    announce(this.peer, 'online');
    // Servers that have just connected saw this server as offline.
    for (const address of this.held.keys()) this.repeat(address);
  }

  private warnOfNamesake(wasRetained: boolean): void {
    const { self, minuteLog } = this.peer;
    const message = `another server on the MQTT broker is called ${self.name} too: give each its own --name`;
    if (wasRetained)
      minuteLog.write('warn', 'namesake', `${message}; if it has just been killed, no action is needed`);
    else minuteLog.write('error', 'namesake', message);
  }

  private check(address: Address): E.Either<DeviceError, void> {
    this.watch(address);
    const owner = this.elsewhere(address);
    return owner === undefined
      ? E.right(undefined)
      : E.left({ _tag: 'OwnedElsewhere', address, owner: owner.name });
  }

  private async claim(address: Address, signal: AbortSignal): Promise<E.Either<DeviceError, void>> {
    this.watch(address);
    const isReady = (): true | undefined =>
      this.phase === 'away' || this.ownerOf(address) !== undefined ? true : undefined;
    const ready = await this.first(isReady, signal);
    if (E.isLeft(ready)) return unclaimed(address, ready.left);
    const free = this.check(address);
    if (E.isLeft(free)) return free;
    const isAway = this.phase === 'away';
    this.claims.held.set(address, isAway ? 'held' : 'claiming');
    if (!isAway) this.claims.publish(address, 'claimed');
    const outcome = await this.first(() => this.outcomeOf(address), signal);
    if (E.isRight(outcome)) return outcome.right;
    this.claims.release(address);
    return unclaimed(address, outcome.left);
  }

  /** The outcome of a claim; undefined until it is settled. */
  private outcomeOf(address: Address): E.Either<DeviceError, void> | undefined {
    const holding = this.claims.held.get(address);
    if (holding === 'claiming') return undefined;
    if (holding === 'held') return E.right(undefined);
    return pipe(
      this.check(address),
      E.chain((): E.Either<DeviceError, void> => E.left({ _tag: 'Unclaimed', address, cause: 'namesake' })),
    );
  }

  /** The first value that `read` returns. */
  private first<A>(read: () => A | undefined, signal: AbortSignal): Promise<E.Either<Unmet, A>> {
    return wait<A>({ time: this.peer.time, ms: ANSWER_MS, signal }, (settle) => {
      const watcher = (): void => {
        const value = read();
        if (value !== undefined) settle(value);
      };
      this.watchers.add(watcher);
      watcher();
      return () => this.watchers.delete(watcher);
    })();
  }
}
