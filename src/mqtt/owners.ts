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
import { MOST_SERVERS, shrink } from './bounded.js';
import { Candidates } from './candidates.js';
import { Servers, isSame, readClaim, readOwned, type Identity, type Status } from './claims.js';
import { openJoining } from './joining.js';
import type { MinuteLog } from './minute-log.js';
import { OwnClaims } from './own-claims.js';
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
  readonly broker: () => Pick<Broker, 'publish'>;
  /** Says that this server is online, retained. */
  readonly announce: () => void;
  /** Whether this server has a link to a device. */
  readonly isLinked: (address: Address) => boolean;
  /** Called after each message, and when claims may begin. */
  readonly changed: () => void;
  /** Another server wrote to the topic of a device that this one owns, and to others of it perhaps. */
  readonly disputed: (address: Address) => void;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly minuteLog: MinuteLog;
}

export interface Owners {
  readonly ownership: Ownership;
  /** Whether all that others own is known, as far as they tell. */
  readonly hasJoined: () => boolean;
  /** The servers that are online and not silent, by name. */
  readonly present: () => readonly string[];
  readonly isPresent: (name: string) => boolean;
  /** Whether this server has a device. */
  readonly isOwn: (address: Address) => boolean;
  /** The other server that has a device. */
  readonly elsewhere: (address: Address) => Identity | undefined;
  readonly standing: (address: Address) => Standing;
  /** To be called when all is subscribed to: before it, claims are granted. */
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
  const servers = new Servers((name) => name === self().name);
  const own = new OwnClaims(self, (address, claim, retain) =>
    broker().publish(topics.owner(address), JSON.stringify(claim), { retain }),
  );
  const { held } = own;
  const candidates = new Candidates(servers.isValid, (address) => held.has(address));
  /** Servers that have come and have to be told what this one owns. */
  const serversToBrief = new Set<string>();
  const conflicts = new Map<Address, Cancel>();
  const watchers = new Set<() => void>();
  const takenListeners = new Set<Parameters<Ownership['onTaken']>[0]>();
  /** Of this server, on connections before. */
  const earlierInstances = new Set<string>();
  let isClosed = false;

  const joining = openJoining({
    self,
    joined: (silent) => {
      candidates.complete(own.retainedOf(silent));
      notify();
    },
    vanished: (server) => {
      const obituary = servers.obituaryOf(server);
      if (obituary === undefined) return;
      log.warn(`${server.name} is retained as online on the MQTT broker, but does not answer: it is offline`);
      broker().publish(topics.serverOf(server.name), JSON.stringify(obituary), { retain: true });
    },
    ...{ time, log },
  });

  const isSelf = (server: Identity | undefined): boolean => server !== undefined && isSame(server, self());

  const elsewhere = (address: Address): Identity | undefined => {
    const owner = candidates.ownerOf(address)?.owner;
    return isSelf(owner) ? undefined : owner;
  };

  const standing = (address: Address): Standing => {
    const known = joining.phase === 'joined' ? candidates.ownerOf(address) : undefined;
    if (known === undefined) return 'unknown';
    if (known.owner === undefined) return 'nobody';
    return isSelf(known.owner) ? 'own' : 'elsewhere';
  };

  const publishOwnedLater = (address: Address): void => {
    if (conflicts.has(address)) return;
    const again = (): void => {
      conflicts.delete(address);
      if (
        joining.phase === 'joined' &&
        held.has(address) &&
        isLinked(address) &&
        elsewhere(address) !== undefined
      )
        own.publish(address, 'owned');
    };
    conflicts.set(address, time.after(CONFLICT_MS, again));
  };

  const settleHeld = (address: Address, owner: Identity | undefined): void => {
    if (isSelf(owner)) {
      if (own.lastOf(address) === 'owned' && own.isRetainedOwn(address)) return;
      own.publish(address, 'owned');
      disputed(address);
    } else if (isLinked(address)) {
      if (owner === undefined) own.publish(address, 'owned');
      else publishOwnedLater(address);
    } else if (owner === undefined) {
      if (servers.isValid(self())) own.publish(address, 'claimed');
    } else {
      own.release(address);
      log.info({ address, owner: owner.name }, 'another server has got the device');
      for (const listener of takenListeners) listener(address, owner.name);
    }
  };

  /** Draws the conclusions of who owns a device, once that is certain. */
  const settle = (address: Address): void => {
    if (joining.phase !== 'joined' || own.isEchoPending(address)) return;
    const holding = held.get(address);
    const known = candidates.ownerOf(address);
    if (known === undefined) {
      // The other that may have been the owner is gone, and the claim came before that.
      if (holding !== undefined && candidates.isOpenTo(address, self())) own.publish(address, 'claimed');
    } else if (holding === undefined) {
      if (own.isRetainedOwn(address)) own.publish(address, 'released');
    } else if (holding === 'held') settleHeld(address, known.owner);
    else if (own.lastOf(address) === 'claimed') {
      if (isSelf(known.owner)) {
        held.set(address, 'held');
        own.publish(address, 'owned');
      } else own.release(address);
    }
  };

  const owned = (): readonly Address[] =>
    [...held.keys()].filter((address) => own.lastOf(address) === 'owned' && elsewhere(address) === undefined);

  /** Tells servers that have come what this one owns, when none of its claims is open. */
  const brief = (): void => {
    if (serversToBrief.size === 0 || own.isOpen) return;
    const message = JSON.stringify({ ...self(), devices: owned() });
    for (const name of serversToBrief) broker().publish(topics.ownedOf(name), message, { isAnswer: true });
    serversToBrief.clear();
  };

  const notify = (): void => {
    for (const address of own.devices) settle(address);
    brief();
    for (const watcher of watchers) watcher();
    changed();
  };

  const receiveOwnStatus = ({ status, instance }: Status, wasRetained: boolean): void => {
    const { name, instance: current } = self();
    const isCurrent = instance === current;
    if (isCurrent && status === 'online' && joining.phase === 'joining') {
      // Others may have claimed meanwhile what this server has a link to.
      for (const [address, holding] of held)
        if (holding === 'held' && isLinked(address) && own.lastOf(address) === undefined)
          own.publish(address, 'owned');
      joining.answered(name);
    } else if (status === 'offline' && !wasRetained) {
      announce();
      // Servers that connected in between took this server for offline.
      for (const address of owned()) own.publish(address, 'owned');
    } else if (!isCurrent && !earlierInstances.has(instance)) {
      const message = `another server on the MQTT broker is called ${name} too: give each its own --name`;
      if (wasRetained)
        minuteLog.write('warn', 'namesake', `${message}; if it has just been killed, all is well`);
      else minuteLog.write('error', 'namesake', message);
    }
  };

  const receiveStatus = (name: string, { payload, retained: wasRetained }: Message): void => {
    const status = servers.receive(name, payload);
    if (status === undefined) return;
    if (name === self().name) receiveOwnStatus(status, wasRetained);
    else if (!wasRetained) {
      if (status.status === 'online') serversToBrief.add(name);
      shrink(serversToBrief, MOST_SERVERS);
      const before = joining.awaited(name);
      // One that has come now has said all since this server subscribed.
      if (before !== undefined && !servers.isValid(before)) joining.answered(name);
    } else if (status.status === 'online') joining.expect({ name, instance: status.instance });
  };

  const receiveClaim = (address: Address, { payload, retained: wasRetained }: Message): void => {
    const claim = readClaim(payload);
    if (claim === undefined) return;
    own.receiveRetained(address, claim);
    // It may be long past: the owner tells itself.
    if (wasRetained) return;
    servers.spoke(claim);
    own.receive(address, claim);
    candidates.receive(address, claim);
  };

  const receiveOwned = ({ payload }: Message): void => {
    const told = readOwned(payload);
    if (told === undefined) return;
    const sender = { name: told.name, instance: told.instance };
    servers.spoke(sender);
    candidates.receiveOwned(sender, told.devices);
    const awaited = joining.awaited(sender.name);
    if (awaited !== undefined && isSame(awaited, sender)) joining.answered(sender.name);
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

  const check = (address: Address): E.Either<DeviceError, void> => {
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
    const ready = await until(() => (joining.phase === 'joining' ? undefined : true), signal)();
    if (E.isLeft(ready)) return unclaimed(address, ready.left);
    const free = check(address);
    if (E.isLeft(free)) return free;
    const isAway = joining.phase === 'away';
    held.set(address, isAway ? 'held' : 'claiming');
    if (!isAway) own.publish(address, 'claimed');
    const outcome = await until(() => outcomeOf(address), signal)();
    if (E.isRight(outcome)) return outcome.right;
    own.release(address);
    return unclaimed(address, outcome.left);
  };

  const forget = (): void => {
    joining.lost();
    for (const cancel of conflicts.values()) cancel();
    for (const one of [servers, candidates, own, conflicts, serversToBrief]) one.clear();
  };

  const isPresent = (name: string): boolean =>
    servers.isOnline(name) && (joining.phase !== 'joined' || joining.awaited(name) === undefined);

  return {
    ownership: {
      check,
      claim,
      release: (address) => own.release(address),
      onTaken: (listener) => {
        takenListeners.add(listener);
        return () => takenListeners.delete(listener);
      },
    },
    hasJoined: () => joining.phase === 'joined',
    present: () => servers.all.map(([name]) => name).filter(isPresent),
    isPresent,
    isOwn: (address) => held.has(address),
    elsewhere,
    standing,
    opened: () => {
      joining.opened();
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
      const name = topics.serverIn(message.topic);
      const address = topics.ownedIn(message.topic);
      if (name !== undefined) receiveStatus(name, message);
      else if (address !== undefined) receiveClaim(address, message);
      else if (message.topic === topics.owned) receiveOwned(message);
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
