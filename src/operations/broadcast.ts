/**
 * Events to many sockets: each is made into text once, and only in the forms that clients have chosen. A client that comes back
 * is sent what it missed before anything new.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { parseError, type ParseError } from '../codecs/index.js';
import { lazily } from '../async/tasks.js';
import type { TimeSource } from '../async/time.js';
import { openEventHistory } from './event-history.js';
import { openSlices } from '../async/slices.js';

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

/** Events that a client cannot be sent any more; `to` is null after a restart, when nobody knows how many there were. */
export interface Missed {
  readonly from: number;
  readonly to: number | null;
}

/** The last event that a client has, and the instance that it was of. */
export interface Position {
  readonly since: number;
  readonly instance: string;
}

/** The query of a client that may come back. */
type PositionQuery = { readonly [K in keyof Position]?: Position[K] | undefined };

/** Events that are sent at once to a client that comes back; the next when they are written. */
const PIECE = 256;

export class Broadcast {
  private readonly history;
  /** Receivers that do not have all yet that they missed, each with what is to be done then. */
  private readonly behind = new WeakMap<Receiver, (() => void)[]>();
  /** However many come back at once, what they missed leaves time for others. */
  private readonly replay;

  /** `instance` is another one at each start of the server; `missed` is the message about events that are not kept any more. */
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

  /** Sends an event of `source` to `receivers`; null: of none, which nobody is sent again. */
  publish(
    source: string | null,
    receivers: Iterable<Receiver>,
    plain: () => Json,
    full: (stamp: Stamp) => Json,
  ): void {
    const fullText = this.history.record(source, (seq, time) => JSON.stringify(full(this.stamp(seq, time))));
    const plainText = lazily(() => JSON.stringify(plain()));
    for (const receiver of receivers) {
      if (this.behind.has(receiver)) continue;
      receiver.connection.send(receiver.full ? fullText() : plainText());
    }
  }

  /** Sends an event to one receiver, and never again. */
  tell(receiver: Receiver, plain: () => Json, full: (stamp: Stamp) => Json): void {
    this.publish(null, [receiver], plain, full);
  }

  /** Runs `task` as soon as `receiver` has all that it missed. */
  onceCurrent(receiver: Receiver, task: () => void): void {
    const later = this.behind.get(receiver);
    if (later === undefined) task();
    else later.push(task);
  }

  /** The position of a client that gives `query`, undefined if it gives none; Left: there is no such position. */
  position({ since, instance }: PositionQuery): E.Either<ParseError, Position | undefined> {
    if (since === undefined && instance === undefined) return E.right(undefined);
    if (since === undefined) return E.left(parseError('since is missing: it must be given with instance'));
    if (instance === undefined) return E.left(parseError('instance is missing: it must be given with since'));
    return instance === this.instance && since > this.seq
      ? E.left(parseError(`since must be a whole number from 0 to ${this.seq}, got ${since}`))
      : E.right({ since, instance });
  }

  /** Sends what `receiver` has missed since `position` of the sources that it wants; what is published waits meanwhile. */
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
