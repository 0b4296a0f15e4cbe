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
import type { Claim } from '../contract/index.js';
import { MOST_DEVICES, MOST_SERVERS, setNewest, shrink } from './bounded.js';
import {
  ANYONE,
  Servers,
  distinct,
  isRetained,
  isSame,
  nextCandidates,
  readClaim,
  readOwned,
  type Candidate,
  type Identity,
  type Status,
} from './claims.js';
import type { MinuteLog } from './minute-log.js';
import type { Topics } from '../contract/topics.js';

/** How long a claim may take until it is settled, ms. */
const ANSWER_MS = 5_000;
/** How long a server that has just connected waits for what the others own, ms. */
const JOIN_MS = 3_000;
/** Two that both believe to have a link say so no more often, until one of them notices that it has none, ms. */
const CONFLICT_MS = 1_000;
/** Connections of this server whose instances are known as its own. */
const MOST_EARLIER = 100;
/** Names of servers in a line of the log. */
const MOST_NAMES = 5;

export interface OwnersOptions {
  /** This server, as it is on this connection. */
  readonly self: () => Identity;
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'publish'>;
  /** Says that this server is online, retained. */
  readonly announce: () => void;
  /** Whether this server has a link to a device. */
  readonly isLinked: (address: Address) => boolean;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly minuteLog: MinuteLog;
}

export interface Owners {
  readonly ownership: Ownership;
  readonly servers: Pick<Servers, 'all' | 'isOnline'>;
  /** Whether this server has a device. */
  readonly isOwn: (address: Address) => boolean;
  /** The other server that has a device. */
  readonly elsewhere: (address: Address) => Identity | undefined;
  /** To be called when all is subscribed to: before it, claims are granted. */
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
  /** To be called when a link has begun or ended. */
  readonly changed: (address: Address) => void;
  readonly close: () => void;
}

/** This server's last message about a device on this connection. */
interface LastPublished {
  readonly state: Claim['state'];
  readonly seq: number;
}

/** An owner that is known for certain; undefined: there is none. */
interface KnownOwner {
  readonly owner: Identity | undefined;
}

export const openOwners = (options: OwnersOptions): Owners => {
  const { self, topics, broker, announce, isLinked, time, log, minuteLog } = options;
  /** `joining`: until this server has heard of all devices that others own. */
  let phase: 'away' | 'joining' | 'joined' = 'away';
  const servers = new Servers((name) => name === self().name);
  /** Servers that were there before this one and have not told yet what they own, by name; `self` until its status is back. */
  const awaitedServers = new Map<string, Identity>();
  let cancelJoining: Cancel = () => undefined;
  /** Servers that have come and have to be told what this one owns. */
  const serversToBrief = new Set<string>();
  const devices = new Map<Address, readonly Candidate[]>();
  /** The devices that this server has, or `claiming`, wants. */
  const held = new Map<Address, 'claiming' | 'held'>();
  /** The retained message of a device. */
  const retained = new Map<Address, Claim>();
  const lastPublished = new Map<Address, LastPublished>();
  /** The number of what has come back of it. */
  const echoedSeq = new Map<Address, number>();
  const conflicts = new Map<Address, Cancel>();
  const watchers = new Set<() => void>();
  const takenListeners = new Set<Parameters<Ownership['onTaken']>[0]>();
  /** Of this server, on connections before. */
  const earlierInstances = new Set<string>();
  let seq = 0;

  const isSelf = (server: Candidate | Claim): boolean => typeof server === 'object' && isSame(server, self());
  const candidatesOf = (address: Address): readonly Candidate[] =>
    devices.get(address) ?? (phase === 'joined' ? [undefined] : ANYONE);

  /** The owner of a device, unless there are several that may be it. */
  const ownerOf = (address: Address): KnownOwner | undefined => {
    const [owner, ...others] = distinct(
      candidatesOf(address).map((candidate) =>
        typeof candidate === 'object' && !servers.isValid(candidate) ? undefined : candidate,
      ),
    );
    return others.length > 0 || owner === 'anyone' ? undefined : { owner };
  };
  const elsewhere = (address: Address): Identity | undefined => {
    const owner = ownerOf(address)?.owner;
    return isSelf(owner) ? undefined : owner;
  };

  const publishClaim = (address: Address, state: Claim['state']): void => {
    seq += 1;
    lastPublished.set(address, { state, seq });
    const retain = isRetained(state);
    broker().publish(topics.owner(address), JSON.stringify({ ...self(), state, seq }), { retain });
  };

  /** Whether all who look take this server for the owner of a device. */
  const isRetainedOwn = (address: Address): boolean => {
    const last = retained.get(address);
    return isSelf(last) && last?.state === 'owned';
  };

  const isEchoPending = (address: Address): boolean =>
    (lastPublished.get(address)?.seq ?? 0) > (echoedSeq.get(address) ?? 0);

  const release = (address: Address): void => {
    if (held.delete(address) && lastPublished.has(address))
      publishClaim(address, lastPublished.get(address)?.state === 'owned' ? 'released' : 'withdrawn');
  };

  const publishOwnedLater = (address: Address): void => {
    if (conflicts.has(address)) return;
    const again = (): void => {
      conflicts.delete(address);
      if (phase === 'joined' && held.has(address) && isLinked(address) && elsewhere(address) !== undefined)
        publishClaim(address, 'owned');
    };
    conflicts.set(address, time.after(CONFLICT_MS, again));
  };

  const settleHeld = (address: Address, owner: Identity | undefined): void => {
    if (isSelf(owner)) {
      if (!isRetainedOwn(address)) publishClaim(address, 'owned');
    } else if (isLinked(address)) {
      if (owner === undefined) publishClaim(address, 'owned');
      else publishOwnedLater(address);
    } else if (owner === undefined) {
      if (servers.isValid(self())) publishClaim(address, 'claimed');
    } else {
      release(address);
      log.info({ address, owner: owner.name }, 'another server has got the device');
      for (const listener of takenListeners) listener(address, owner.name);
    }
  };

  /** Draws the conclusions of who owns a device, once that is certain. */
  const settle = (address: Address): void => {
    const holding = held.get(address);
    const known = ownerOf(address);
    if (phase !== 'joined' || known === undefined || isEchoPending(address)) return;
    if (holding === undefined) {
      if (isRetainedOwn(address)) publishClaim(address, 'released');
    } else if (holding === 'held') settleHeld(address, known.owner);
    else if (lastPublished.get(address)?.state === 'claimed') {
      if (isSelf(known.owner)) {
        held.set(address, 'held');
        publishClaim(address, 'owned');
      } else release(address);
    }
  };

  const settleAll = (): void => {
    for (const address of new Set([...held.keys(), ...lastPublished.keys()])) settle(address);
  };

  const owned = (): readonly Address[] =>
    [...held.keys()].filter(
      (address) => lastPublished.get(address)?.state === 'owned' && elsewhere(address) === undefined,
    );

  /** Tells servers that have come what this one owns, when none of its claims is open. */
  const brief = (): void => {
    if (serversToBrief.size === 0) return;
    if ([...lastPublished].some(([address, { state }]) => state === 'claimed' && isEchoPending(address)))
      return;
    const message = JSON.stringify({ ...self(), devices: owned() });
    for (const name of serversToBrief) broker().publish(topics.ownedOf(name), message, { isAnswer: true });
    serversToBrief.clear();
  };

  const setCandidates = (address: Address, candidates: readonly Candidate[]): void =>
    setNewest(devices, address, candidates, MOST_DEVICES, (known) => held.has(known));

  /** Nobody owns a device if none that may is left. */
  const ruleOut = (address: Address, isOut: (candidate: Candidate) => boolean): void => {
    const left = candidatesOf(address).filter((candidate) => !isOut(candidate));
    // Its place among the newest stays.
    devices.set(address, left.length === 0 ? [undefined] : left);
  };

  const join = (): void => {
    cancelJoining();
    for (const address of devices.keys()) ruleOut(address, (candidate) => candidate === 'anyone');
    phase = 'joined';
  };

  const stopAwaiting = (name: string): void => {
    if (awaitedServers.delete(name) && awaitedServers.size === 0) join();
  };

  const notify = (): void => {
    settleAll();
    brief();
    for (const watcher of watchers) watcher();
  };

  const receiveOwnStatus = ({ status, instance }: Status, wasRetained: boolean): void => {
    const { name, instance: own } = self();
    const isOwn = instance === own;
    if (isOwn && status === 'online' && phase === 'joining') {
      // Others may have claimed meanwhile what this server has a link to.
      for (const [address, holding] of held)
        if (holding === 'held' && isLinked(address) && !lastPublished.has(address))
          publishClaim(address, 'owned');
      stopAwaiting(name);
    } else if (status === 'offline' && !wasRetained) {
      announce();
      // Servers that connected in between took this server for offline.
      for (const address of owned()) publishClaim(address, 'owned');
    } else if (!isOwn && !earlierInstances.has(instance)) {
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
      const before = awaitedServers.get(name);
      // One that has come now has said all since this server subscribed.
      if (before !== undefined && !servers.isValid(before)) stopAwaiting(name);
    } else if (status.status === 'online' && phase === 'joining')
      setNewest(awaitedServers, name, { name, instance: status.instance }, MOST_SERVERS);
  };

  const receiveClaim = (address: Address, { payload, retained: wasRetained }: Message): void => {
    const claim = readClaim(payload);
    if (claim === undefined) return;
    if (isRetained(claim.state))
      setNewest(
        retained,
        address,
        claim,
        MOST_DEVICES,
        (known) => held.has(known) || lastPublished.has(known),
      );
    // It may be long past: the owner tells itself.
    if (wasRetained) return;
    servers.spoke(claim);
    if (isSelf(claim) && lastPublished.has(address)) echoedSeq.set(address, claim.seq);
    setCandidates(address, nextCandidates(candidatesOf(address), claim, servers.isValid));
  };

  const receiveOwned = ({ payload }: Message): void => {
    const owned = readOwned(payload);
    if (owned === undefined) return;
    const sender = { name: owned.name, instance: owned.instance };
    servers.spoke(sender);
    // Of all others somebody has said since this server subscribed that it owns them.
    for (const [address, candidates] of devices)
      if (candidates.includes('anyone'))
        ruleOut(address, (candidate) => typeof candidate === 'object' && isSame(candidate, sender));
    for (const address of owned.devices)
      if (ownerOf(address)?.owner === undefined) setCandidates(address, [sender]);
    const awaited = awaitedServers.get(sender.name);
    if (awaited !== undefined && isSame(awaited, sender)) stopAwaiting(sender.name);
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
    const ready = await until(() => (phase === 'joining' ? undefined : true), signal)();
    if (E.isLeft(ready)) return unclaimed(address, ready.left);
    const free = check(address);
    if (E.isLeft(free)) return free;
    held.set(address, phase === 'away' ? 'held' : 'claiming');
    if (phase !== 'away') publishClaim(address, 'claimed');
    const outcome = await until(() => outcomeOf(address), signal)();
    if (E.isRight(outcome)) return outcome.right;
    release(address);
    return unclaimed(address, outcome.left);
  };

  const forget = (): void => {
    cancelJoining();
    for (const cancel of conflicts.values()) cancel();
    for (const one of [
      servers,
      devices,
      retained,
      lastPublished,
      echoedSeq,
      conflicts,
      awaitedServers,
      serversToBrief,
    ])
      one.clear();
  };

  return {
    ownership: {
      check,
      claim,
      release,
      onTaken: (listener) => {
        takenListeners.add(listener);
        return () => takenListeners.delete(listener);
      },
    },
    servers,
    isOwn: (address) => held.has(address),
    elsewhere,
    opened: () => {
      phase = 'joining';
      awaitedServers.set(self().name, self());
      cancelJoining = time.after(JOIN_MS, () => {
        const names = [...awaitedServers.keys()];
        const others = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} others` : '';
        const first = names.slice(0, MOST_NAMES).join(', ');
        log.warn(`on the MQTT broker ${first}${others} did not tell what it owns`);
        awaitedServers.clear();
        join();
        notify();
      });
      announce();
    },
    lost: () => {
      phase = 'away';
      earlierInstances.add(self().instance);
      shrink(earlierInstances, MOST_EARLIER);
      forget();
      // A claim that the broker did not settle is granted, as all are without it.
      for (const address of held.keys()) held.set(address, 'held');
      for (const watcher of watchers) watcher();
    },
    received: (message) => {
      const name = topics.serverIn(message.topic);
      const address = topics.ownedIn(message.topic);
      if (name !== undefined) receiveStatus(name, message);
      else if (address !== undefined) receiveClaim(address, message);
      else if (message.topic === topics.owned) receiveOwned(message);
      else return;
      notify();
    },
    changed: settle,
    close: forget,
  };
};
