import type { Cancel } from '../async/time.js';
import { awaitingBurst, classify, LIVE, OPENING, type Phase } from './burst.js';
import type { Notification } from './drivers/godice/protocol/index.js';

export interface Received {
  readonly notification: Notification;
  /** False: it only reports the state of the die, and makes no event. */
  readonly isNews: boolean;
}

/**
 * The notifications of one die on one link, in order, from the first one on. They are buffered until there is a listener,
 * which the limits of opening a die keep short.
 */
export class NotificationBuffer {
  private phase: Phase = OPENING;
  private buffered: Received[] = [];
  private listener: ((received: Received) => void) | undefined;
  private readonly watchers = new Set<() => void>();

  /** The die is being initialised: from now on its burst is expected. */
  initialise(colourAsked: boolean): void {
    this.enter(awaitingBurst(colourAsked));
  }

  /** `isResponse`: it answers a request. It is no news then, and the same may still come in the burst. */
  receive(notification: Notification, isResponse: boolean): void {
    const [phase, isNews] = isResponse ? [this.phase, false] : classify(this.phase, notification);
    this.enter(phase);
    const received = { notification, isNews };
    if (this.listener === undefined) this.buffered.push(received);
    else this.listener(received);
  }

  /** What is missing of the burst is not expected any more: all is news from now on. */
  endBurst(): void {
    this.enter(LIVE);
  }

  /** Calls back once when the burst is over, immediately if it is. */
  whenLive(watcher: () => void): Cancel {
    if (this.phase._tag === 'Live') watcher();
    else this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** Delivers what was buffered, and from now on what comes; to be called once. */
  listen(listener: (received: Received) => void): void {
    this.listener = listener;
    const { buffered } = this;
    this.buffered = [];
    for (const received of buffered) listener(received);
  }

  private enter(phase: Phase): void {
    const { phase: before } = this;
    this.phase = phase;
    if (phase._tag !== 'Live' || before._tag === 'Live') return;
    const watchers = [...this.watchers];
    this.watchers.clear();
    for (const watcher of watchers) watcher();
  }
}
