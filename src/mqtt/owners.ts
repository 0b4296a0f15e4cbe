/** Which server of a fleet has which device: this one's part in it. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import { ABORTED, type DeviceError } from '../devices/device-error.js';
import type { Ownership } from '../devices/ownership.js';
import type { Address } from '../ble/ports.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { wait, type Unmet } from '../async/wait.js';
import type { Broker, Message } from './broker.js';
import { shrink } from './bounded.js';
import { isRetained, type KnownOwner } from './candidates.js';
import { isSame, readClaim, type Identity, type Status } from './claims.js';
import { openDeviceViews } from './device-views.js';
import type { MinuteLog } from '../system/log.js';
import { OwnClaims } from './own-claims.js';
import { openPresence } from './presence.js';
import type { Topics } from '../contract/topics.js';

/** How long a claim may take until it is settled, ms. */
const ANSWER_MS = 5_000;
/** Two that both believe to have a link say so no more often, until one of them notices that it has none, ms. */
const CONFLICT_MS = 1_000;
/** Connections of this server whose instances are known as its own. */
const MOST_EARLIER = 100;

/** The owner of a device, as a server sees it; `unknown` before it has joined, or while several may be it. */
export type Standing = 'own' | 'elsewhere' | 'nobody' | 'unknown';

export interface OwnersOptions {
  /** This server, as it is on this connection. */
  readonly self: () => Identity;
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'publish' | 'subscribe' | 'unsubscribe'>;
  /** Says that this server is online, retained. */
  readonly announce: () => void;
  /** Whether this server has a link to a device. */
  readonly isLinked: (address: Address) => boolean;
  /** Called after each message, and when claims may begin. */
  readonly changed: () => void;
  /** Another server has said that it owns a device that this one owns, and may have written to its other topics. */
  readonly disputed: (address: Address) => void;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly minuteLog: MinuteLog;
}

export interface Owners {
  readonly ownership: Ownership;
  /** The devices that this server has, or wants. */
  readonly held: ReadonlyMap<Address, unknown>;
  /** The other server that has a device. */
  readonly elsewhere: (address: Address) => Identity | undefined;
  readonly standing: (address: Address) => Standing;
  /** The epoch of this server's ownership of a device. */
  readonly epochOf: (address: Address) => number;
  /** Listens to the owner of a device from now on. */
  readonly watch: (address: Address) => void;
  /** What is to be subscribed to at the beginning of a connection. */
  readonly subscriptions: () => readonly string[];
  /** To be called when all of that is subscribed to: before it, claims are granted. */
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
  /** To be called when a link has begun or ended. */
  readonly linkChanged: (address: Address) => void;
  /** Nothing that comes later is answered. */
  readonly close: () => void;
}

export const openOwners = (options: OwnersOptions): Owners => {
  const { self, topics, broker, announce, isLinked, changed, disputed, time, log, minuteLog } = options;
  const own = new OwnClaims(self, (address, claim) =>
    broker().publish(topics.owner(address), JSON.stringify(claim), {
      retain: isRetained(claim),
      replaces: true,
    }),
  );
  const { held } = own;
  const conflicts = new Map<Address, Cancel>();
  const watchers = new Set<() => void>();
  const takenListeners = new Set<Parameters<Ownership['onTaken']>[0]>();
  /** Of this server, on connections before. */
  const earlierInstances = new Set<string>();
  /** `joining`: until the status of this server is back, behind all that is retained. */
  let phase: 'away' | 'joining' | 'joined' = 'away';
  let isClosed = false;

  const presence = openPresence({
    ...{ self, topics, broker, announce, time, log },
    changed: () => notify(),
  });
  const views = openDeviceViews({
    ...{ topics, broker, presence, time },
    isKept: (address) => held.has(address) || own.lastOf(address) !== undefined,
    changed: () => notify(),
  });

  const isSelf = (server: Identity | undefined): boolean => server !== undefined && isSame(server, self());

  const ownerOf = (address: Address): KnownOwner | undefined =>
    phase === 'joined' ? views.ownerOf(address) : undefined;

  const elsewhere = (address: Address): Identity | undefined => {
    const owner = ownerOf(address)?.owner;
    return isSelf(owner) ? undefined : owner;
  };

  const standing = (address: Address): Standing => {
    const known = ownerOf(address);
    if (known === undefined) return 'unknown';
    if (known.owner === undefined) return 'nobody';
    return isSelf(known.owner) ? 'own' : 'elsewhere';
  };

  const isValid = (): boolean => presence.validityOf(self()) === 'valid';

  /** Whether all who look take this server for the owner of a device. */
  const isRetainedOwn = (address: Address): boolean => {
    const last = views.lastOf(address);
    return last?.state === 'owned' && isSelf(last);
  };

  const publishOwnedLater = (address: Address): void => {
    if (conflicts.has(address)) return;
    const again = (): void => {
      conflicts.delete(address);
      if (held.has(address) && isLinked(address) && elsewhere(address) !== undefined)
        own.publish(address, 'owned');
    };
    conflicts.set(address, time.after(CONFLICT_MS, again));
  };

  const settleHeld = (address: Address, owner: Identity | undefined): void => {
    if (isSelf(owner)) {
      if (own.lastOf(address) === 'owned' && isRetainedOwn(address)) return;
      const isDisputed = views.lastOf(address)?.state !== 'claimed';
      own.publish(address, 'owned');
      if (isDisputed) disputed(address);
    } else if (isLinked(address)) {
      if (owner === undefined) own.publish(address, 'owned');
      else publishOwnedLater(address);
    } else if (owner === undefined) {
      if (isValid()) own.publish(address, 'claimed');
    } else {
      own.release(address);
      log.info({ address, owner: owner.name }, 'another server has got the device');
      for (const listener of takenListeners) listener(address, owner.name);
    }
  };

  /** What this server has retained of a device that it does not have may hide that nobody has it. */
  const tidy = (address: Address, owner: Identity | undefined): void => {
    const last = views.lastOf(address);
    const isMisleading = isSelf(last) && last?.state !== 'released';
    if (isMisleading && (owner === undefined || isSelf(owner))) own.publish(address, 'released');
  };

  /** Draws the conclusions of who owns a device, once that is certain. */
  const settle = (address: Address): void => {
    if (phase !== 'joined' || own.isEchoPending(address)) return;
    const holding = held.get(address);
    const known = ownerOf(address);
    if (known === undefined) {
      // The other that may have been the owner is gone, and the claim came before that.
      if (own.lastOf(address) === 'claimed' && views.isOpenTo(address, self()) && isValid())
        own.publish(address, 'claimed');
    } else if (holding === undefined) tidy(address, known.owner);
    else if (holding === 'held') settleHeld(address, known.owner);
    else if (own.lastOf(address) === 'claimed') {
      if (isSelf(known.owner)) {
        held.set(address, 'held');
        own.publish(address, 'owned');
      } else own.release(address);
    }
  };

  const notify = (): void => {
    views.look();
    for (const address of own.devices) settle(address);
    for (const watcher of watchers) watcher();
    changed();
  };

  const join = (): void => {
    phase = 'joined';
    presence.watching.began();
    views.watching.began();
    // Others may have claimed meanwhile what this server has a link to.
    for (const [address, holding] of held)
      if (holding === 'held' && isLinked(address) && own.lastOf(address) === undefined)
        own.publish(address, 'owned');
  };

  const receiveOwnStatus = ({ status, instance }: Status, wasRetained: boolean): void => {
    const { name, instance: current } = self();
    const isCurrent = instance === current;
    if (isCurrent && status === 'online' && phase === 'joining') join();
    else if (status === 'offline' && !wasRetained) {
      announce();
      // Servers that connected in between took this server for offline.
      for (const address of held.keys())
        if (own.lastOf(address) === 'owned' && elsewhere(address) === undefined)
          own.publish(address, 'owned');
    } else if (status === 'online' && !isCurrent && !earlierInstances.has(instance)) {
      const message = `another server on the MQTT broker is called ${name} too: give each its own --name`;
      if (wasRetained)
        minuteLog.write('warn', 'namesake', `${message}; if it has just been killed, all is well`);
      else minuteLog.write('error', 'namesake', message);
    }
  };

  const receiveStatus = (name: string, message: Message): void => {
    const status = presence.received(name, message);
    if (status !== undefined && name === self().name) receiveOwnStatus(status, message.retained);
  };

  const receiveClaim = (address: Address, { payload, retained: wasRetained }: Message): void => {
    const claim = payload.length === 0 ? undefined : readClaim(payload);
    // One that nobody can read says nothing; an empty one clears what is retained.
    if (claim === undefined && payload.length > 0) return;
    if (claim !== undefined && !wasRetained) presence.spoke(claim);
    views.received(address, claim, wasRetained);
    if (claim !== undefined) own.receive(address, claim);
  };

  /** The first thing that `look` returns. */
  const until = <A>(look: () => A | undefined, signal: AbortSignal) =>
    wait<A>({ time, ms: ANSWER_MS, signal }, (found) => {
      const watcher = (): void => {
        const seen = look();
        if (seen !== undefined) found(seen);
      };
      watchers.add(watcher);
      watcher();
      return () => watchers.delete(watcher);
    });

  const unclaimed = (address: Address, unmet: Unmet): E.Either<DeviceError, never> =>
    E.left(unmet === 'aborted' ? ABORTED : { _tag: 'Unclaimed', address, cause: 'silence' });

  const watch = (address: Address): void => views.watching.watch(topics.owner(address));

  const check = (address: Address): E.Either<DeviceError, void> => {
    watch(address);
    const owner = elsewhere(address);
    return owner === undefined
      ? E.right(undefined)
      : E.left({ _tag: 'OwnedElsewhere', address, owner: owner.name });
  };

  const outcomeOf = (address: Address): E.Either<DeviceError, void> | undefined => {
    const holding = held.get(address);
    if (holding === 'claiming') return undefined;
    if (holding === 'held') return E.right(undefined);
    return pipe(
      check(address),
      E.chain((): E.Either<DeviceError, void> => E.left({ _tag: 'Unclaimed', address, cause: 'namesake' })),
    );
  };

  const claim: Ownership['claim'] = (address, signal) => async () => {
    watch(address);
    const isReady = (): true | undefined =>
      phase === 'away' || ownerOf(address) !== undefined ? true : undefined;
    const ready = await until(isReady, signal)();
    if (E.isLeft(ready)) return unclaimed(address, ready.left);
    const free = check(address);
    if (E.isLeft(free)) return free;
    const isAway = phase === 'away';
    held.set(address, isAway ? 'held' : 'claiming');
    if (!isAway) own.publish(address, 'claimed');
    const outcome = await until(() => outcomeOf(address), signal)();
    if (E.isRight(outcome)) return outcome.right;
    own.release(address);
    return unclaimed(address, outcome.left);
  };

  const forget = (): void => {
    phase = 'away';
    for (const cancel of conflicts.values()) cancel();
    conflicts.clear();
    presence.lost();
    views.lost();
    own.clear();
  };

  return {
    ownership: {
      check,
      claim,
      release: (address) => {
        own.release(address);
        settle(address);
      },
      onTaken: (listener) => {
        takenListeners.add(listener);
        return () => takenListeners.delete(listener);
      },
    },
    held,
    elsewhere,
    standing,
    epochOf: (address) => own.epochOf(address),
    watch,
    subscriptions: () => [
      topics.server,
      topics.asked,
      topics.echo,
      ...presence.watching.begin(),
      ...views.watching.begin(),
    ],
    opened: () => {
      phase = 'joining';
      for (const address of held.keys()) watch(address);
      presence.watching.opened();
      views.watching.opened();
      announce();
    },
    lost: () => {
      earlierInstances.add(self().instance);
      shrink(earlierInstances, MOST_EARLIER);
      forget();
      // A claim that the broker did not settle is granted, as all are without it.
      for (const address of held.keys()) held.set(address, 'held');
      for (const watcher of watchers) watcher();
    },
    received: (message) => {
      if (isClosed) return;
      const { topic } = message;
      if (topic === topics.echo) {
        for (const { watching } of [presence, views]) watching.received(message);
        return;
      }
      if (topic === topics.asked) {
        presence.asked();
        return;
      }
      const name = topics.serverIn(topic);
      const address = topics.ownedIn(topic);
      if (name !== undefined) receiveStatus(name, message);
      else if (address !== undefined) receiveClaim(address, message);
      else return;
      notify();
    },
    linkChanged: settle,
    close: () => {
      isClosed = true;
      forget();
    },
  };
};
