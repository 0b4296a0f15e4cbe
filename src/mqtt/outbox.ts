/** Messages on their way over one connection: in order, as many at once as the broker takes, and no more than fit. */
import type { Cancel, Clock } from '../time.js';
import { paced } from './paced.js';

export interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
  readonly correlation: Buffer | undefined;
  /** Called when the broker has it or has refused it; never if it was lost, or replaced before it was sent. */
  readonly settled?: (() => void) | undefined;
}

export interface Outbox {
  /** One that is retained takes the place of the one that waits on its topic; any other is dropped if too many wait. */
  readonly put: (message: Outgoing) => void;
  /** Calls back once nothing is on its way. */
  readonly onceEmpty: (task: () => void) => void;
  /** The connection is gone, and what was on its way with it. */
  readonly end: () => void;
}

export interface OutboxOptions {
  /** Messages that may be sent before the first of them is acknowledged. */
  readonly window: number;
  readonly send: (message: Outgoing, acknowledged: (error?: Error | null) => void) => void;
  /** Called for each message that may not have arrived; for none that is retained, as those are published anew. */
  readonly dropped: () => void;
  /** The broker does not take a message. */
  readonly refused: (message: Outgoing, error: Error) => void;
  /** Messages are on their way, and the broker has acknowledged none for `STALLED_MS`. */
  readonly stalled: () => void;
  readonly clock: Clock;
}

/** Messages that may wait. */
const MOST_WAITING = 10_000;
export const STALLED_MS = 30_000;

export const openOutbox = (options: OutboxOptions): Outbox => {
  const { window, send, dropped, refused, stalled, clock } = options;
  /** Those that are retained by their topics. */
  const waiting = new Map<string | number, Outgoing>();
  const sent = new Set<Outgoing>();
  let last = 0;
  let emptied = (): void => undefined;
  /** When the broker acknowledged something, or had nothing to acknowledge. */
  let heardAt = 0;
  let cancelStalled: Cancel | undefined;

  /** Waits for an acknowledgement, if one is due. */
  const watch = (): void => {
    if (sent.size === 0) return;
    cancelStalled ??= clock.after(heardAt + STALLED_MS - clock.now(), () => {
      cancelStalled = undefined;
      if (clock.now() < heardAt + STALLED_MS) watch();
      else stalled();
    });
  };

  const unwatch = (): void => {
    cancelStalled?.();
    cancelStalled = undefined;
  };

  const acknowledged = (message: Outgoing, error?: Error | null): void => {
    if (!sent.delete(message)) return;
    heardAt = clock.now();
    if (error != null) {
      dropped();
      refused(message, error);
    }
    message.settled?.();
    sendSoon();
  };

  const sendWaiting = (): void => {
    if (sent.size === 0) heardAt = clock.now();
    for (const [key, message] of waiting) {
      if (sent.size >= window) break;
      waiting.delete(key);
      sent.add(message);
      send(message, (error) => acknowledged(message, error));
    }
    watch();
  };

  const writing = paced(clock, sendWaiting);

  const sendSoon = (): void => {
    if (waiting.size > 0) {
      if (sent.size < window) writing.soon();
    } else if (sent.size === 0) {
      unwatch();
      emptied();
    }
  };

  return {
    put: (message) => {
      if (!message.retain && waiting.size >= MOST_WAITING) {
        dropped();
        return;
      }
      waiting.set(message.retain ? message.topic : (last += 1), message);
      sendSoon();
    },
    onceEmpty: (task) => {
      emptied = task;
      if (waiting.size + sent.size === 0) task();
    },
    end: () => {
      unwatch();
      writing.cancel();
      for (const { retain } of [...sent, ...waiting.values()]) if (!retain) dropped();
      sent.clear();
      waiting.clear();
      emptied();
    },
  };
};
