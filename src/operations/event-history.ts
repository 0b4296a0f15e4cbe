/** The newest events of a server, kept for clients that come back. */
import { lazily } from '../async/tasks.js';
import type { TimeSource } from '../async/time.js';

/** The most events that are kept, and how long, ms. */
export const MOST_EVENTS = 10_000;
export const LONGEST_MS = 10 * 60_000;

/** The most sources of which it is known when their last event was forgotten. */
const MOST_SOURCES = 1_000;

interface Entry {
  /** When it was recorded, by `now` of the time source. */
  readonly at: number;
  /** Its device; null: it was sent to one client, and is for no other. */
  readonly source: string | null;
  readonly text: () => string;
}

/** A part of the history. */
export interface Part {
  /** Oldest first. */
  readonly texts: readonly string[];
  /** The number of the last event looked at. */
  readonly seq: number;
}

export const openEventHistory = (time: TimeSource) => {
  /** The entry of an event is at its number modulo the most there are. */
  const entries: (Entry | undefined)[] = [];
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

  /** Forgets events that are too old, and the oldest of more than `most`. */
  const forget = (now = time.now(), most = MOST_EVENTS): void => {
    for (;;) {
      const slot = (forgotten + 1) % MOST_EVENTS;
      const entry = entries[slot];
      if (entry === undefined || (newest - forgotten <= most && entry.at >= now - LONGEST_MS)) return;
      forgotten += 1;
      entries[slot] = undefined;
      if (entry.source !== null) noteForgotten(entry.source, forgotten);
    }
  };

  return {
    /** The number of the newest event; 0: there was none. */
    get newest(): number {
      return newest;
    },
    /** The number of the last event that is forgotten; 0: none is. */
    get forgotten(): number {
      forget();
      return forgotten;
    },
    /** The number of the last event after `seq` that is forgotten though its source is wanted, as far as that is known; else `seq`. */
    lost: (seq: number, wants: (source: string) => boolean): number => {
      forget();
      let last = Math.max(seq, unknown);
      for (const [source, of] of lastForgotten) if (of > last && wants(source)) last = of;
      return last;
    },
    /**
     * The next event. `textOf` is called when its text is first needed, with its number and when it was recorded: milliseconds since
     * the Unix epoch. What is returned gives the text.
     */
    record: (source: string | null, textOf: (seq: number, time: number) => string): (() => string) => {
      const at = time.now();
      forget(at, MOST_EVENTS - 1);
      newest += 1;
      const seq = newest;
      const recorded = time.date().getTime();
      const text = lazily(() => textOf(seq, recorded));
      entries[seq % MOST_EVENTS] = { at, source, text };
      return text;
    },
    /** The events after `seq` of sources that are wanted, `most` of them at most. */
    read: (seq: number, wants: (source: string) => boolean, most: number): Part => {
      const texts: string[] = [];
      let last = Math.max(seq, forgotten);
      while (last < newest && texts.length < most) {
        last += 1;
        const entry = entries[last % MOST_EVENTS];
        if (entry?.source != null && wants(entry.source)) texts.push(entry.text());
      }
      return { texts, seq: last };
    },
  };
};
