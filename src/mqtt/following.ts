/** The topics of the devices that a server has sessions with: commands to them, and what others write in its place. */
import type { Address } from '../ble/ports.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { ANY, type Topics } from '../contract/topics.js';
import type { Broker, Message } from './broker.js';

/** What others write of a device is replaced after so long, ms. */
export const REPAIR_MS = 500;

export interface FollowingOptions {
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'subscribe' | 'unsubscribe'>;
  readonly hasSession: (address: Address) => boolean;
  /** Whether other servers should tell how they hear a device. */
  readonly roams: boolean;
  /** Publishes all of a device again. */
  readonly repeat: (address: Address) => void;
  readonly time: TimeSource;
}

export const openFollowing = ({ topics, broker, hasSession, roams, repeat, time }: FollowingOptions) => {
  const followed = new Set<Address>();
  /** Devices of which others have written something. */
  const overwritten = new Map<Address, Cancel>();

  /** On which others write. */
  const openTopicsOf = (address: Address): readonly string[] => [
    `${topics.deviceCommands(address)}/${ANY}`,
    ...(roams ? [topics.signals(address)] : []),
  ];
  /** On which others should not write. */
  const ownTopicsOf = (address: Address): readonly string[] => [
    topics.state(address),
    topics.availability(address),
  ];

  const repair = (address: Address): void => {
    const again = (): void => {
      overwritten.delete(address);
      repeat(address);
    };
    if (!overwritten.has(address)) overwritten.set(address, time.after(REPAIR_MS, again));
  };

  return {
    /** What is to be subscribed to at the beginning of a connection. */
    subscriptions: (): readonly string[] => [...followed].flatMap(openTopicsOf),
    opened: (): void => broker().subscribe([...followed].flatMap(ownTopicsOf), { ofOthers: true }),
    /** To be called when the session of a device may have begun or ended. */
    follow: (address: Address): void => {
      if (hasSession(address) === followed.has(address)) return;
      if (followed.delete(address)) {
        for (const topic of [...openTopicsOf(address), ...ownTopicsOf(address)]) broker().unsubscribe(topic);
        return;
      }
      followed.add(address);
      broker().subscribe(openTopicsOf(address));
      broker().subscribe(ownTopicsOf(address), { ofOthers: true });
    },
    /** Publishes all of a device again, once for all that another has written at the same time. */
    repair,
    received: ({ topic }: Message): void => {
      const address = topics.stateIn(topic) ?? topics.availableIn(topic);
      if (address !== undefined) repair(address);
    },
    lost: (): void => {
      for (const cancel of overwritten.values()) cancel();
      overwritten.clear();
    },
  };
};
