/** Devices that go from server to server: a server that has lost one hands it over to the one that hears it best. */
import type { Address } from '../ble/ports.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Broker, Message } from './broker.js';
import { openHearing, openOwnHearing, readSignal, REPEAT_MS, type Listen } from './hearing.js';
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
  readonly owners: Pick<Owners, 'elsewhere' | 'watch'>;
  readonly broker: () => Pick<Broker, 'publish'>;
  /** Ends the session of a device that has no link, so that another server takes it over. */
  readonly handOver: (address: Address, to: string) => void;
  /** Whether devices are handed over. */
  readonly roams: boolean;
  readonly time: TimeSource;
}

export interface Roaming {
  /** Listens from now on, whenever there is a connection. */
  readonly listen: (listen: Listen) => void;
  /** Whether this server listens to devices at all. */
  readonly listens: () => boolean;
  /** How this server receives a device, dBm; undefined: it does not. */
  readonly signalOf: (address: Address) => number | undefined;
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
  /** To be called when a link has begun or ended, or there is no session any more. */
  readonly changed: (address: Address, is: 'linked' | 'lost' | 'gone') => void;
}

export const openRoaming = (options: RoamingOptions): Roaming => {
  const { name, topics, owners, broker, handOver, roams, time } = options;
  const own = openOwnHearing(time);
  const hearing = openHearing(time);
  /** When links have begun. */
  const linked = new Map<Address, number>();
  /** Devices whose link is lost: what was heard since then counts. */
  const missing = new Map<Address, number>();
  const deciding = new Map<Address, Cancel>();
  let listen: Listen | undefined;
  let isOpen = false;
  let unlisten: Cancel | undefined;
  let cancelReport: Cancel | undefined;

  const report = (): void => {
    const messages = own.report();
    for (const heard of messages) broker().publish(topics.heard, JSON.stringify(heard));
    cancelReport = messages.length === 0 ? undefined : time.after(REPEAT_MS, report);
  };

  /** The other server that hears a lost device best. */
  const betterOf = (address: Address): string | undefined => {
    const since = missing.get(address);
    const best = since === undefined ? undefined : hearing.best(address, since);
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

  const hear = (address: Address, rssi: number): void => {
    own.hear(address, rssi);
    hearing.heard(address, name, rssi);
    owners.watch(address);
    // Advertisements of the same time go into one message.
    cancelReport ??= time.after(0, report);
    // It would not advertise if its owner had a link to it.
    if (owners.elsewhere(address) !== undefined && own.shouldTell(address, rssi))
      broker().publish(topics.signals(address), JSON.stringify({ name, rssi }));
  };

  const start = (): void => {
    if (isOpen && listen !== undefined) unlisten ??= listen(hear);
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
    listens: () => listen !== undefined,
    signalOf: own.signalOf,
    opened: () => {
      isOpen = true;
      start();
    },
    lost: () => {
      isOpen = false;
      unlisten?.();
      cancelReport?.();
      unlisten = cancelReport = undefined;
      for (const one of [own, hearing]) one.clear();
      for (const address of [...deciding.keys()]) forget(address);
    },
    received: ({ topic, payload }) => {
      const address = topics.signalledIn(topic);
      const signal = address === undefined ? undefined : readSignal(payload);
      if (address === undefined || signal === undefined) return;
      hearing.heard(address, signal.name, signal.rssi);
      look(address);
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
