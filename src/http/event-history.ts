/** The newest events of a server, kept for clients that come back. */
import type { Clock } from '../time.js';
import type { Message } from './route.js';

/** The most events that are kept, and how long, ms. */
export const MOST_EVENTS = 10_000;
export const LONGEST_MS = 10 * 60_000;

interface Entry {
  /** When it was recorded, by `now` of the clock. */
  readonly at: number;
  /** What it is of; null: it was told to one client, and is for no other. */
  readonly source: string | null;
  readonly text: () => Message;
}

/** A part of the history. */
export interface Part {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** The number of the last event looked at. */
  readonly seq: number;
}

export interface EventHistory {
  /** The number of the newest event; 0: there was none. */
  readonly newest: number;
  /** The number of the last event that is not kept any more; 0: all are. */
  readonly forgotten: number;
  /** The next event. */
  readonly record: (source: string | null, text: () => Message) => void;
  /** The events after `seq` of sources that are wanted, `most` of them at most. */
  readonly read: (seq: number, wants: (source: string) => boolean, most: number) => Part;
}

export const openEventHistory = (clock: Clock): EventHistory => {
  const entries = new Map<number, Entry>();
  let newest = 0;
  let forgotten = 0;

  const forget = (): void => {
    const oldest = clock.now() - LONGEST_MS;
    for (;;) {
      const entry = entries.get(forgotten + 1);
      if (entry === undefined || (entries.size <= MOST_EVENTS && entry.at >= oldest)) return;
      forgotten += 1;
      entries.delete(forgotten);
    }
  };

  return {
    get newest() {
      return newest;
    },
    get forgotten() {
      forget();
      return forgotten;
    },
    record: (source, text) => {
      newest += 1;
      entries.set(newest, { at: clock.now(), source, text });
      forget();
    },
    read: (seq, wants, most) => {
      const messages: Message[] = [];
      let last = seq;
      while (last < newest && messages.length < most) {
        last += 1;
        const entry = entries.get(last);
        if (entry?.source != null && wants(entry.source)) messages.push(entry.text());
      }
      return { messages, seq: last };
    },
  };
};
