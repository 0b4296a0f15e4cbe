/** Which server of a fleet has which device: this one's part in it. */
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import { ABORTED, type DeviceError } from '../ble/device-error.js';
import type { Ownership } from '../ble/ownership.js';
import type { Address } from '../ble/ports.js';
import type { Cancel, Clock } from '../time.js';
import { wait, type Unmet } from '../wait.js';
import type { Broker, Message } from './broker.js';
import type { Claim } from '../contract/index.js';
import {
  isSame,
  nextOwner,
  nextStatus,
  readClaim,
  readStatus,
  type Identity,
  type Status,
} from './claims.js';
import type { Topics } from './topics.js';

/** How long a claim may take to come back from the broker, ms. */
const ANSWER_MS = 5_000;
/** Two that both believe to have a link say so no more often, until one of them notices that it has none, ms. */
const CONFLICT_MS = 1_000;

export interface OwnersOptions {
  /** This server, as it is on this connection. */
  readonly self: () => Identity;
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'publish'>;
  /** Says that this server is online, retained. */
  readonly announce: () => void;
  /** Whether this server has a link to a device. */
  readonly isLinked: (address: Address) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Owners {
  readonly ownership: Ownership;
  /** The names of all servers that are online. */
  readonly online: () => readonly string[];
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

interface Known {
  readonly owner: Identity | undefined;
  /** What is retained. */
  readonly last: Claim;
}

export const openOwners = (options: OwnersOptions): Owners => {
  const { self, topics, broker, announce, isLinked, clock, log } = options;
  /** `joining`: until the status of this server has come back, and all that is retained with it. */
  let phase: 'away' | 'joining' | 'joined' = 'away';
  const servers = new Map<string, Status>();
  const devices = new Map<Address, Known>();
  /** What this server has, or `claiming`, wants. */
  const held = new Map<Address, 'claiming' | 'held'>();
  /** The number of what it said last of a device on this connection, and of what has come back of that. */
  const said = new Map<Address, number>();
  const heard = new Map<Address, number>();
  const conflicts = new Map<Address, Cancel>();
  const watchers = new Set<() => void>();
  const takers = new Set<Parameters<Ownership['onTaken']>[0]>();
  /** Of this server, on connections before. */
  const earlier = new Set<string>();
  let seq = 0;

  const isValid = ({ name, instance }: Identity): boolean => {
    const server = servers.get(name);
    return server?.status === 'online' && server.instance === instance;
  };
  const isSelf = (server: Identity): boolean => isSame(server, self());

  const ownerOf = (address: Address): Identity | undefined => {
    const owner = devices.get(address)?.owner;
    return owner !== undefined && isValid(owner) ? owner : undefined;
  };
  const elsewhere = (address: Address): Identity | undefined => {
    const owner = ownerOf(address);
    return owner === undefined || isSelf(owner) ? undefined : owner;
  };

  const say = (address: Address, state: Claim['state']): number => {
    seq += 1;
    said.set(address, seq);
    broker().publish(topics.owner(address), JSON.stringify({ ...self(), state, seq }), { retain: true });
    return seq;
  };

  const insistLater = (address: Address): void => {
    if (conflicts.has(address)) return;
    const insist = (): void => {
      conflicts.delete(address);
      if (phase === 'joined' && held.has(address) && isLinked(address) && elsewhere(address) !== undefined)
        say(address, 'owned');
    };
    conflicts.set(address, clock.after(CONFLICT_MS, insist));
  };

  const settleHeld = (address: Address): void => {
    const other = elsewhere(address);
    if (other !== undefined) {
      if (isLinked(address)) {
        insistLater(address);
        return;
      }
      held.delete(address);
      log.info({ address, owner: other.name }, 'another server has got the device');
      for (const taken of takers) taken(address, other.name);
      return;
    }
    const last = devices.get(address)?.last;
    if (last === undefined || !isSelf(last) || last.state !== 'owned') say(address, 'owned');
  };

  /** Takes back what this server has said of a device that it has not. */
  const settleOther = (address: Address): void => {
    const known = devices.get(address);
    if (known === undefined) return;
    const { owner, last } = known;
    const isLeft = isSelf(last) && last.state !== 'released';
    if (isLeft || (owner !== undefined && isSelf(owner))) say(address, 'released');
  };

  /** Has the topic of a device say what is so, and this server know it. */
  const settle = (address: Address): void => {
    const isPending = (said.get(address) ?? 0) > (heard.get(address) ?? 0);
    if (phase !== 'joined' || isPending) return;
    const holding = held.get(address);
    if (holding === 'held') settleHeld(address);
    if (holding === undefined) settleOther(address);
  };

  const settleAll = (): void => {
    for (const address of new Set([...held.keys(), ...devices.keys()])) settle(address);
  };

  const notify = (): void => {
    for (const watcher of watchers) watcher();
  };

  const receiveOwnStatus = ({ status, instance }: Status, retained: boolean): void => {
    const { name, instance: own } = self();
    const isOwn = instance === own;
    if (isOwn && status === 'online' && phase === 'joining') {
      phase = 'joined';
      // Others may have claimed meanwhile what this server has a link to.
      for (const [address, holding] of held)
        if (holding === 'held' && isLinked(address)) say(address, 'owned');
    } else if (status === 'offline' && !retained) {
      announce();
    } else if (!isOwn && !earlier.has(instance)) {
      const sentence = `another server on the MQTT broker is called ${name} too: give each its own --name`;
      if (retained) log.warn(`${sentence}; if it has just been killed, all is well`);
      else log.error(sentence);
    }
  };

  const receiveStatus = (name: string, message: Message): void => {
    const status = readStatus(message.payload);
    if (status === undefined) return;
    servers.set(name, nextStatus(servers.get(name), status));
    if (name === self().name) receiveOwnStatus(status, message.retained);
    notify();
    settleAll();
  };

  const receiveClaim = (address: Address, message: Message): void => {
    const last = readClaim(message.payload);
    if (last === undefined) return;
    if (isSelf(last)) heard.set(address, last.seq);
    devices.set(address, { last, owner: nextOwner(devices.get(address)?.owner, last, isValid) });
    notify();
    settle(address);
  };

  /** The first thing that `look` returns. */
  const until = <A>(look: () => A | undefined, signal: AbortSignal) =>
    wait<A>({ clock, ms: ANSWER_MS, signal }, (found) => {
      const watcher = (): void => {
        const seen = look();
        if (seen !== undefined) found(seen);
      };
      watchers.add(watcher);
      watcher();
      return () => watchers.delete(watcher);
    });

  const unclaimed = (address: Address, unmet: Unmet): E.Either<DeviceError, never> =>
    E.left(unmet === 'aborted' ? ABORTED : { _tag: 'Unclaimed', address, why: 'silence' });

  const check = (address: Address): E.Either<DeviceError, void> => {
    const owner = phase === 'away' ? undefined : elsewhere(address);
    return owner === undefined
      ? E.right(undefined)
      : E.left({ _tag: 'OwnedElsewhere', address, owner: owner.name });
  };

  /** Whether a claim has come first, once it is back from the broker; settles at once whether the device is held. */
  const outcomeOf = (address: Address, claim: number) => (): E.Either<DeviceError, void> | undefined => {
    if (phase === 'away') {
      held.set(address, 'held');
      return E.right(undefined);
    }
    if (phase === 'joining' || (heard.get(address) ?? 0) < claim) return undefined;
    const owner = ownerOf(address);
    if (owner !== undefined && isSelf(owner)) {
      held.set(address, 'held');
      return E.right(undefined);
    }
    held.delete(address);
    return E.left(
      owner === undefined
        ? { _tag: 'Unclaimed', address, why: 'namesake' }
        : { _tag: 'OwnedElsewhere', address, owner: owner.name },
    );
  };

  const claim: Ownership['claim'] = (address, signal) => async () => {
    const ready = await until(() => (phase === 'joining' ? undefined : true), signal)();
    if (E.isLeft(ready)) return unclaimed(address, ready.left);
    const free = check(address);
    if (E.isLeft(free)) return free;
    held.set(address, 'claiming');
    const own = phase === 'away' ? 0 : say(address, 'claimed');
    const outcome = await until(outcomeOf(address, own), signal)();
    if (E.isRight(outcome)) return outcome.right;
    release(address);
    return unclaimed(address, outcome.left);
  };

  const release = (address: Address): void => {
    if (held.delete(address) && phase !== 'away') say(address, 'released');
  };

  const forget = (): void => {
    for (const cancel of conflicts.values()) cancel();
    for (const one of [servers, devices, said, heard, conflicts]) one.clear();
  };

  return {
    ownership: {
      check,
      claim,
      release,
      onTaken: (listener) => {
        takers.add(listener);
        return () => takers.delete(listener);
      },
    },
    online: () => [...servers].filter(([, { status }]) => status === 'online').map(([name]) => name),
    isOwn: (address) => held.has(address),
    elsewhere,
    opened: () => {
      phase = 'joining';
      announce();
    },
    lost: () => {
      phase = 'away';
      earlier.add(self().instance);
      forget();
      notify();
    },
    received: (message) => {
      const name = topics.serverIn(message.topic);
      if (name !== undefined) receiveStatus(name, message);
      const address = topics.ownedIn(message.topic);
      if (address !== undefined) receiveClaim(address, message);
    },
    changed: settle,
    close: forget,
  };
};
