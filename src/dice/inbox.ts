import type { Cancel } from '../time.js';
import { initialised, LIVE, OPENING, sortNotification, type Phase } from './burst.js';
import type { Notification } from './protocol/index.js';

export interface Received {
  readonly notification: Notification;
  /** False: it tells the state of the die alone, and makes no event. */
  readonly isNews: boolean;
}

/**
 * All that one die says on one link, in order, from its first notification on. It is kept until somebody listens,
 * which the limits of opening a die keep short.
 */
export class Inbox {
  private phase: Phase = OPENING;
  private kept: Received[] = [];
  private listener: ((received: Received) => void) | undefined;
  private readonly watchers = new Set<() => void>();

  /** Initialising begins: from now on the die owes its burst. */
  initialise(colourAsked: boolean): void {
    this.enter(initialised(colourAsked));
  }

  /**
   * `isAnswer`: it answers a question that waits for it. It is no news then, and the same may still come in the burst.
   */
  receive(notification: Notification, isAnswer: boolean): void {
    const [phase, isNews] = isAnswer ? [this.phase, false] : sortNotification(this.phase, notification);
    this.enter(phase);
    const received = { notification, isNews };
    if (this.listener === undefined) this.kept.push(received);
    else this.listener(received);
  }

  /** What is missing of the burst is not waited for any more: all is news from now on. */
  endBurst(): void {
    this.enter(LIVE);
  }

  /** Calls back once when the burst is over, at once if it is. */
  whenLive(watcher: () => void): Cancel {
    if (this.phase._tag === 'Live') watcher();
    else this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** Hands over what was kept, and from now on what comes; to be called once. */
  listen(listener: (received: Received) => void): void {
    this.listener = listener;
    const { kept } = this;
    this.kept = [];
    for (const received of kept) listener(received);
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    if (phase._tag !== 'Live') return;
    const watchers = [...this.watchers];
    this.watchers.clear();
    for (const watcher of watchers) watcher();
  }
}
