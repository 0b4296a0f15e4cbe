/** Topics that a server listens to while it needs them, and whether all of their retained messages have arrived. */
import { shrink } from '../async/newest.js';
import type { Peer } from './claims.js';
import { paced, type Paced } from './paced.js';

export interface WatchingOptions {
  /** The name in this watching's echoes, different for each watching of a server. */
  readonly name: string;
  /** The topic of a device or a server. */
  readonly topicOf: (key: string) => string;
  /** The most topics to watch at once: the oldest are dropped, unless they are kept. */
  readonly most: number;
  readonly isKept: (key: string) => boolean;
  readonly dropped: (key: string) => void;
  /** Called when more topics have become known. */
  readonly changed: () => void;
}

export class Watching {
  /** Whether each topic is known. */
  private readonly watched = new Map<string, boolean>();
  private readonly atBeginning = new Set<string>();
  private readonly pending = new Set<string>();
  /** The topics that each echo makes known. */
  private readonly batches = new Map<string, readonly string[]>();
  private readonly subscribing: Paced;
  private isOpen = false;
  private lastBatch = 0;

  constructor(
    private readonly peer: Peer,
    private readonly options: WatchingOptions,
  ) {
    this.subscribing = paced(peer.time, () => this.subscribePending());
  }

  watch(key: string): void {
    if (this.watched.has(key)) return;
    this.watched.set(key, false);
    this.pending.add(key);
    const { most, isKept } = this.options;
    shrink(
      this.watched,
      most,
      (each) => each === key || isKept(each),
      (each) => this.drop(each),
    );
    if (this.isOpen) this.subscribing.soon();
  }

  isWatched(key: string): boolean {
    return this.watched.has(key);
  }

  /** Whether all retained messages of a topic have arrived. */
  isKnown(key: string): boolean {
    return this.watched.get(key) === true;
  }

  /** All watched topics, for the subscription at the beginning of a connection. */
  begin(): readonly string[] {
    this.pending.clear();
    for (const key of this.watched.keys()) this.atBeginning.add(key);
    return [...this.atBeginning].map(this.options.topicOf);
  }

  /** To be called when the retained messages of all topics of `begin` have arrived. */
  began(): void {
    this.know(this.atBeginning);
    this.atBeginning.clear();
  }

  opened(): void {
    this.isOpen = true;
    this.subscribing.soon();
  }

  lost(): void {
    this.isOpen = false;
    this.subscribing.cancel();
    for (const key of this.watched.keys()) this.watched.set(key, false);
    for (const collection of [this.atBeginning, this.pending, this.batches]) collection.clear();
  }

  /** Receives an echo, a message of this server to itself: the retained messages of its batch have arrived before. */
  echoed(payload: Buffer): void {
    const mark = payload.toString('utf8');
    const keys = this.batches.get(mark);
    if (keys === undefined) return;
    this.batches.delete(mark);
    this.know(keys);
    this.options.changed();
  }

  private know(keys: Iterable<string>): void {
    for (const key of keys) if (this.watched.has(key)) this.watched.set(key, true);
  }

  private drop(key: string): void {
    this.pending.delete(key);
    if (this.isOpen) this.peer.broker.unsubscribe(this.options.topicOf(key));
    this.options.dropped(key);
  }

  private subscribePending(): void {
    if (!this.isOpen || this.pending.size === 0) return;
    const { broker, topics } = this.peer;
    const keys = [...this.pending];
    this.pending.clear();
    const mark = `${this.options.name} ${(this.lastBatch += 1)}`;
    this.batches.set(mark, keys);
    broker.subscribe(keys.map(this.options.topicOf), {
      acknowledged: () => {
        if (this.batches.has(mark)) broker.publish(topics.echo, mark);
      },
    });
  }
}
