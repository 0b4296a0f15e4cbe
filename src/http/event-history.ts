/** The newest events of a server, kept for clients that come back. */
import type { TimeSource } from '../async/time.js';
import { Message } from './route.js';

/** The most events that are kept, and how long, ms. */
export const MOST_EVENTS = 10_000;
export const LONGEST_MS = 10 * 60_000;

/** The most sources of which it is known when their last event was forgotten. */
const MOST_SOURCES = 1_000;

/** Most are never sent again: what is kept of one is little, so that it costs little to collect. */
interface Entry<A> {
  /** When it was recorded, by `now` of the clock. */
  readonly at: number;
  /** The same by its `date`, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** What it is of; null: it was told to one client, and is for no other. */
  readonly source: string | null;
  /** Made into a message when that is first needed. */
  kept: A | Message;
}

/** A part of the history. */
export interface Part {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** The number of the last event looked at. */
  readonly seq: number;
}

export interface EventHistory<A> {
  /** The number of the newest event; 0: there was none. */
  readonly newest: number;
  /** The number of the last event that is forgotten; 0: none is. */
  readonly forgotten: number;
  /** The number of the last event after `seq` that is forgotten though its source is wanted, as far as that is known; else `seq`. */
  readonly lost: (seq: number, wants: (source: string) => boolean) => number;
  /** The next event; what is returned gives its message. */
  readonly record: (source: string | null, event: A) => () => Message;
  /** The events after `seq` of sources that are wanted, `most` of them at most. */
  readonly read: (seq: number, wants: (source: string) => boolean, most: number) => Part;
}

/** `messageOf` makes the message of an event, given its number and when it was recorded: milliseconds since the Unix epoch. */
export const openEventHistory = <A>(
  time: TimeSource,
  messageOf: (event: A, seq: number, time: number) => Message,
): EventHistory<A> => {
  /** The entry of an event is at its number modulo the most there are. */
  const entries: (Entry<A> | undefined)[] = [];
  let newest = 0;
  let forgotten = 0;
  /** The last forgotten event of each source. */
  const lastForgotten = new Map<string, number>();
  /** Up to here nobody knows of which source a forgotten event was. */
  let unknown = 0;

  const noteForgotten = (source: string, seq: number): void => {
    lastForgotten.set(source, seq);
    if (lastForgotten.size <= MOST_SOURCES) return;
    const [oldest, last] = [...lastForgotten].reduce((one, other) => (other[1] < one[1] ? other : one));
    lastForgotten.delete(oldest);
    unknown = last;
  };

  /** Forgets what is too old, and the oldest of more than `most`. */
  const forget = (now = time.now(), most = MOST_EVENTS): void => {
    for (;;) {
      const place = (forgotten + 1) % MOST_EVENTS;
      const entry = entries[place];
      if (entry === undefined || (newest - forgotten <= most && entry.at >= now - LONGEST_MS)) return;
      forgotten += 1;
      entries[place] = undefined;
      if (entry.source !== null) noteForgotten(entry.source, forgotten);
    }
  };

  const messageIn = (entry: Entry<A>, seq: number): Message => {
    if (!(entry.kept instanceof Message)) entry.kept = messageOf(entry.kept, seq, entry.time);
    return entry.kept;
  };

  return {
    get newest() {
      return newest;
    },
    get forgotten() {
      forget();
      return forgotten;
    },
    lost: (seq, wants) => {
      forget();
      let last = Math.max(seq, unknown);
      for (const [source, of] of lastForgotten) if (of > last && wants(source)) last = of;
      return last;
    },
    record: (source, event) => {
      const at = time.now();
      forget(at, MOST_EVENTS - 1);
      newest += 1;
      const seq = newest;
      const entry: Entry<A> = { at, time: time.date().getTime(), source, kept: event };
      entries[seq % MOST_EVENTS] = entry;
      return () => messageIn(entry, seq);
    },
    read: (seq, wants, most) => {
      const messages: Message[] = [];
      let last = Math.max(seq, forgotten);
      while (last < newest && messages.length < most) {
        last += 1;
        const entry = entries[last % MOST_EVENTS];
        if (entry?.source != null && wants(entry.source)) messages.push(messageIn(entry, last));
      }
      return { messages, seq: last };
    },
  };
};
