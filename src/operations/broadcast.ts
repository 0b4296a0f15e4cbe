/**
 * Events to many sockets: each event is serialised once in each form that clients have chosen. A client that comes back
 * gets the events that it missed before new events.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { parseError, type ParseError } from '../codecs/index.js';
import { lazily } from '../async/tasks.js';
import type { TimeSource } from '../async/time.js';
import { openSlices } from '../async/slices.js';

/** Limits of the events kept for clients that come back: their number, and their age, ms. */
export const MOST_EVENTS = 10_000;
export const LONGEST_MS = 10 * 60_000;

/** The most sources to remember the last forgotten event of. */
const MOST_SOURCES = 1_000;

interface Entry {
  /** The time of the recording, by `now` of the time source. */
  readonly at: number;
  /** The address of the device; null: the event was for one client. */
  readonly source: string | null;
  readonly text: () => string;
}

export const openEventHistory = (time: TimeSource) => {
  /** The entry of an event is at its number modulo `MOST_EVENTS`. */
  const entries: (Entry | undefined)[] = [];
  let newest = 0;
  let forgotten = 0;
  /** The last forgotten event of each source. */
  const lastForgotten = new Map<string, number>();
  /** The last forgotten event whose source is no longer remembered. */
  let lastUntraced = 0;

  const noteForgotten = (source: string, seq: number): void => {
    lastForgotten.set(source, seq);
    if (lastForgotten.size <= MOST_SOURCES) return;
    const [oldest, last] = [...lastForgotten].reduce((first, next) => (next[1] < first[1] ? next : first));
    lastForgotten.delete(oldest);
    lastUntraced = last;
  };

  /** Forgets events that are too old, and the oldest events until `most` remain. */
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
    /** The number of the newest event; 0 before the first. */
    get newest(): number {
      return newest;
    },
    /** The number of the last forgotten event; 0 before the first. */
    get forgotten(): number {
      forget();
      return forgotten;
    },
    /** The number of the last event after `seq` that was forgotten, if `wants` accepts its source or the source is forgotten too; else `seq`. */
    lost: (seq: number, wants: (source: string) => boolean): number => {
      forget();
      let last = Math.max(seq, lastUntraced);
      for (const [source, at] of lastForgotten) if (at > last && wants(source)) last = at;
      return last;
    },
    /**
     * Records the next event and returns its time and a function for its text. `textOf` is called when the text is first needed, with the
     * event's number and time (milliseconds since the Unix epoch).
     */
    record: (source: string | null, textOf: (seq: number, time: number) => string) => {
      const at = time.now();
      forget(at, MOST_EVENTS - 1);
      newest += 1;
      const seq = newest;
      const recorded = time.date().getTime();
      const text = lazily(() => textOf(seq, recorded));
      entries[seq % MOST_EVENTS] = { at, source, text };
      return { time: recorded, text };
    },
    /**
     * At most `most` events after `seq` whose sources `wants` accepts, the oldest first, and the number of the last event that was
     * checked.
     */
    read: (seq: number, wants: (source: string) => boolean, most: number) => {
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

export interface Receiver {
  readonly connection: {
    /** Sends immediately. Calls `written` when the system has the text. */
    readonly send: (text: string, written?: () => void) => void;
  };
  /** Opened with `?detail=full`. */
  readonly full: boolean;
}

/** The fields that `?detail=full` adds to every event. */
export interface Stamp {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Rises by one with every event of the server. */
  readonly seq: number;
  readonly instance: string;
}

/** Events that are lost to a client; `to` is null after a restart, which forgets their number. */
export interface Missed {
  readonly from: number;
  readonly to: number | null;
}

/** The last event that a client has, and its instance. */
export interface Position {
  readonly since: number;
  readonly instance: string;
}

type PositionQuery = { readonly [K in keyof Position]?: Position[K] | undefined };

/** The number of missed events to send at once; the next events follow when these are written. */
const PIECE = 256;

export class Broadcast {
  private readonly history;
  /** Receivers that still lack missed events, each with the tasks to run when the receiver has them all. */
  private readonly behind = new WeakMap<Receiver, (() => void)[]>();
  /** Sends missed events in slices, which leave time for other work however many clients come back at once. */
  private readonly replay;

  /** `instance` differs with each start of the server; `missed` makes the message about lost events. */
  constructor(
    private readonly time: TimeSource,
    readonly instance: string,
    private readonly missed: (missed: Missed, stamp: Stamp) => Json,
  ) {
    this.history = openEventHistory(time);
    this.replay = openSlices(time);
  }

  /** The number of the newest event. */
  get seq(): number {
    return this.history.newest;
  }

  private stamp(seq: number, time: number): Stamp {
    return { time: new Date(time).toISOString(), seq, instance: this.instance };
  }

  /**
   * Sends an event of `source` to `receivers` and returns its time, milliseconds since the Unix epoch; null: an event without a
   * source, which is never sent again.
   */
  publish(
    source: string | null,
    receivers: Iterable<Receiver>,
    plain: () => Json,
    full: (stamp: Stamp) => Json,
  ): number {
    const { time, text: fullText } = this.history.record(source, (seq, at) =>
      JSON.stringify(full(this.stamp(seq, at))),
    );
    const plainText = lazily(() => JSON.stringify(plain()));
    for (const receiver of receivers) {
      if (this.behind.has(receiver)) continue;
      receiver.connection.send(receiver.full ? fullText() : plainText());
    }
    return time;
  }

  /** Sends an event to one receiver, only now. */
  tell(receiver: Receiver, plain: () => Json, full: (stamp: Stamp) => Json): void {
    this.publish(null, [receiver], plain, full);
  }

  /** Runs `task` as soon as `receiver` has all events that it missed. */
  onceCurrent(receiver: Receiver, task: () => void): void {
    const later = this.behind.get(receiver);
    if (later === undefined) task();
    else later.push(task);
  }

  /** The position in the query of a client, undefined for a new client; Left: the query is invalid. */
  position({ since, instance }: PositionQuery): E.Either<ParseError, Position | undefined> {
    if (since === undefined && instance === undefined) return E.right(undefined);
    if (since === undefined) return E.left(parseError('since is missing: it must be given with instance'));
    if (instance === undefined) return E.left(parseError('instance is missing: it must be given with since'));
    return instance === this.instance && since > this.seq
      ? E.left(parseError(`since must be a whole number from 0 to ${this.seq}, got ${since}`))
      : E.right({ since, instance });
  }

  /** Sends the missed events of the sources that `wants` accepts to `receiver`; new events wait meanwhile. */
  resume(receiver: Receiver, { since, instance }: Position, wants: (source: string) => boolean): void {
    const { history, time } = this;
    const { connection } = receiver;
    const later: (() => void)[] = [];
    this.behind.set(receiver, later);
    let seq = since;

    const skip = (to: number, lost: Missed): void => {
      seq = to;
      connection.send(JSON.stringify(this.missed(lost, this.stamp(seq, time.date().getTime()))));
    };

    const goOn = (): void => void this.replay(sendPiece);

    const sendPiece = (): void => {
      const lost = history.lost(seq, wants);
      if (lost > seq) skip(lost, { from: seq + 1, to: lost });
      const piece = history.read(seq, wants, PIECE);
      ({ seq } = piece);
      const isLast = seq === history.newest;
      for (const [index, text] of piece.texts.entries()) {
        connection.send(text, !isLast && index === piece.texts.length - 1 ? goOn : undefined);
      }
      if (!isLast) return;
      this.behind.delete(receiver);
      for (const task of later) task();
    };

    if (instance !== this.instance) skip(history.forgotten, { from: since + 1, to: null });
    goOn();
  }
}
