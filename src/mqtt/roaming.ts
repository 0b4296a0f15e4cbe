/** Devices that go from server to server: who is asked for one, and who takes it over when its link is lost. */
import type { Address } from '../ble/ports.js';
import type { Heard } from '../contract/index.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Message } from './broker.js';
import { openHearing, readHeard, reportSignals, type Listen } from './hearing.js';
import type { Owners } from './owners.js';
import type { Topics } from '../contract/topics.js';

/** A device may be heard by others before its server notices the loss: the longest usual supervision timeout, ms. */
const UNNOTICED_MS = 6_000;
/** A message so soon after the beginning of a link may be older than the link, ms. */
const STALE_MS = 2_000;
/** How long a server that hears a lost device waits for others that hear it, itself included, ms. */
const DECIDE_MS = 1_500;

export interface RoamingOptions {
  readonly name: string;
  readonly topics: Topics;
  readonly owners: Owners;
  readonly say: (heard: Heard) => void;
  /** Ends the session of a device that has no link, so that another server takes it over. */
  readonly handOver: (address: Address, to: string) => void;
  /** Whether devices are handed over. */
  readonly roams: boolean;
  readonly time: TimeSource;
}

export interface Roaming {
  /** Listens from now on, whenever there is a connection. */
  readonly listen: (listen: Listen) => void;
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
  /** Whether it is this server that does what the fleet is asked to do with a device; undefined: with none. */
  readonly isAsked: (address: Address | undefined) => boolean;
  /** To be called when a link has begun or ended, or there is no session any more. */
  readonly changed: (address: Address, is: 'linked' | 'lost' | 'gone') => void;
}

export const openRoaming = (options: RoamingOptions): Roaming => {
  const { name, topics, owners, say, handOver, roams, time } = options;
  const hearing = openHearing(time);
  /** When links have begun. */
  const linked = new Map<Address, number>();
  /** Devices whose link is lost: what was heard since then counts. */
  const missing = new Map<Address, number>();
  const deciding = new Map<Address, Cancel>();
  let listen: Listen | undefined;
  let isOpen = false;
  let stop: Cancel | undefined;

  const { isPresent } = owners;

  const start = (): void => {
    if (isOpen && listen !== undefined) stop ??= reportSignals(listen, time, say);
  };

  /** The other server that hears a lost device best. */
  const betterOf = (address: Address): string | undefined => {
    const since = missing.get(address);
    const best = since === undefined ? undefined : hearing.best(address, isPresent, since);
    return best === name ? undefined : best;
  };

  const look = (address: Address): void => {
    if (!roams || deciding.has(address) || betterOf(address) === undefined) return;
    const decide = (): void => {
      deciding.delete(address);
      const better = betterOf(address);
      if (better !== undefined) handOver(address, better);
    };
    deciding.set(address, time.after(DECIDE_MS, decide));
  };

  const forget = (address: Address): void => {
    missing.delete(address);
    deciding.get(address)?.();
    deciding.delete(address);
  };

  return {
    listen: (given) => {
      listen = given;
      start();
    },
    opened: () => {
      isOpen = true;
      start();
    },
    lost: () => {
      isOpen = false;
      stop?.();
      stop = undefined;
      hearing.clear();
      for (const address of [...deciding.keys()]) forget(address);
    },
    received: ({ topic, payload }) => {
      const server = topics.hearerIn(topic);
      const heard = server === undefined ? undefined : readHeard(payload);
      if (server === undefined || heard === undefined) return;
      hearing.heard(server, heard);
      for (const { address } of heard.devices) look(address);
    },
    isAsked: (address) => {
      if (address !== undefined && owners.elsewhere(address) !== undefined) return false;
      if (address !== undefined && owners.isOwn(address)) return true;
      const best = address === undefined ? undefined : hearing.best(address, isPresent);
      return (best ?? owners.present()[0]) === name;
    },
    changed: (address, is) => {
      const now = time.now();
      if (is !== 'lost') forget(address);
      if (is === 'gone') linked.delete(address);
      else if (is === 'linked') linked.set(address, linked.get(address) ?? now);
      else if (!missing.has(address)) {
        const earliest = Math.max((linked.get(address) ?? 0) + STALE_MS, now - UNNOTICED_MS);
        missing.set(address, Math.min(now, earliest));
        linked.delete(address);
        look(address);
      }
    },
  };
};
