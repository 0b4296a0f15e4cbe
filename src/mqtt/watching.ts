/** Topics of others that a server listens to while it needs them, and whether all that is retained on them has come. */
import type { TimeSource } from '../async/time.js';
import type { Broker, Message } from './broker.js';
import { shrink } from './bounded.js';
import { paced } from './paced.js';

export interface WatchingOptions {
  /** Of what is watched: one of a server's each. */
  readonly name: string;
  /** Where a message of this server to itself comes back, behind all that was retained on what it subscribed to before. */
  readonly echo: string;
  readonly broker: () => Pick<Broker, 'publish' | 'subscribe' | 'unsubscribe'>;
  /** Topics that may be watched at once: the oldest are given up, unless they are kept. */
  readonly most: number;
  readonly isKept: (topic: string) => boolean;
  readonly givenUp: (topic: string) => void;
  /** More topics have become known. */
  readonly changed: () => void;
  readonly time: TimeSource;
}

export interface Watching {
  readonly watch: (topic: string) => void;
  readonly isWatched: (topic: string) => boolean;
  /** Whether all that is retained on a topic has come. */
  readonly isKnown: (topic: string) => boolean;
  /** All that is watched, to be subscribed to at the beginning of a connection. */
  readonly begin: () => readonly string[];
  /** All that was subscribed to at the beginning is known. */
  readonly began: () => void;
  readonly opened: () => void;
  readonly lost: () => void;
  readonly received: (message: Message) => void;
}

export const openWatching = (options: WatchingOptions): Watching => {
  const { name, echo, broker, most, isKept, givenUp, changed, time } = options;
  /** Whether each topic is known. */
  const watched = new Map<string, boolean>();
  const atBeginning = new Set<string>();
  const pending = new Set<string>();
  /** By the echo that tells that they are known. */
  const batches = new Map<string, readonly string[]>();
  let isOpen = false;
  let batch = 0;

  const know = (topics: Iterable<string>): void => {
    for (const topic of topics) if (watched.has(topic)) watched.set(topic, true);
  };

  const flush = (): void => {
    if (!isOpen || pending.size === 0) return;
    const topics = [...pending];
    pending.clear();
    const mark = `${name} ${(batch += 1)}`;
    batches.set(mark, topics);
    broker().subscribe(topics, {
      acknowledged: () => {
        if (batches.has(mark)) broker().publish(echo, mark);
      },
    });
  };

  const subscribing = paced(time, flush);

  return {
    watch: (topic) => {
      if (watched.has(topic)) return;
      watched.set(topic, false);
      pending.add(topic);
      shrink(
        watched,
        most,
        (each) => each === topic || isKept(each),
        (each) => {
          pending.delete(each);
          if (isOpen) broker().unsubscribe(each);
          givenUp(each);
        },
      );
      if (isOpen) subscribing.soon();
    },
    isWatched: (topic) => watched.has(topic),
    isKnown: (topic) => watched.get(topic) === true,
    begin: () => {
      pending.clear();
      for (const topic of watched.keys()) atBeginning.add(topic);
      return [...atBeginning];
    },
    began: () => {
      know(atBeginning);
      atBeginning.clear();
    },
    opened: () => {
      isOpen = true;
      subscribing.soon();
    },
    lost: () => {
      isOpen = false;
      subscribing.cancel();
      for (const topic of watched.keys()) watched.set(topic, false);
      for (const one of [atBeginning, pending, batches]) one.clear();
    },
    received: ({ topic, payload }) => {
      if (topic !== echo) return;
      const mark = payload.toString('utf8');
      const topics = batches.get(mark);
      if (topics === undefined) return;
      batches.delete(mark);
      know(topics);
      changed();
    },
  };
};
