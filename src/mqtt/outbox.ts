/** Messages on their way over one connection: in order, as many at once as the broker takes, and no more than fit. */
import type { Cancel, TimeSource } from '../async/time.js';
import { paced } from './paced.js';

export interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
  /** It takes the place of the one that waits on its topic, as all do that are retained. */
  readonly replaces?: boolean | undefined;
  readonly correlation?: Buffer | undefined;
  /** Of the ownership of the device that the message is about: a user property in MQTT 5. */
  readonly epoch?: number | undefined;
  /** It answers a client: of the room for messages, answers leave half to all others. */
  readonly isAnswer: boolean;
  /** Called when the broker has it or has refused it; never if it was lost, or replaced before it was sent. */
  readonly settled?: (() => void) | undefined;
}

export interface Outbox {
  /** One that replaces none is dropped if too many wait. */
  readonly put: (message: Outgoing) => void;
  /** Calls back once nothing is on its way. */
  readonly onceEmpty: (task: () => void) => void;
  /** The connection is gone, and what was on its way with it. */
  readonly end: () => void;
}

export interface OutboxOptions {
  /** Messages that may be sent before the first of them is acknowledged. */
  readonly window: number;
  /** Bytes of the largest packet that the broker takes. */
  readonly largest: number;
  readonly send: (message: Outgoing, acknowledged: (error?: Error | null) => void) => void;
  /** Called for each message that may not have arrived; for no retained one, as those are published again. */
  readonly dropped: () => void;
  /** The broker does not take a message. */
  readonly refused: (message: Outgoing, error: Error) => void;
  /** Messages are on their way, and the broker has acknowledged none for `STALLED_MS`. */
  readonly stalled: () => void;
  readonly time: TimeSource;
}

/** Messages that may wait. */
const MOST_WAITING = 10_000;
/** Bytes of messages that may wait or be on their way. */
export const MOST_BYTES = 16 * 1024 * 1024;
export const STALLED_MS = 30_000;

/** Of a PUBLISH, beside topic, payload and correlation data: MQTT 5.0, 3.3. */
const MOST_HEADER_BYTES = 20;

/** A message, with the bytes of its packet at most. */
interface Entry {
  readonly message: Outgoing;
  readonly bytes: number;
}

const bytesOf = ({ topic, payload, correlation }: Outgoing): number =>
  MOST_HEADER_BYTES + Buffer.byteLength(topic) + Buffer.byteLength(payload) + (correlation?.length ?? 0);

export const openOutbox = (options: OutboxOptions): Outbox => {
  const { window, largest, send, dropped, refused, stalled, time } = options;
  /** Those that replace others by their topics. */
  const waiting = new Map<string | number, Entry>();
  const sent = new Set<Entry>();
  /** Of `waiting` and `sent`. */
  let bytes = 0;
  let last = 0;
  let emptied = (): void => undefined;
  /** When the broker acknowledged something, or had nothing to acknowledge. */
  let heardAt = 0;
  let cancelStalled: Cancel | undefined;

  /** Waits for an acknowledgement, if one is due. */
  const watch = (): void => {
    if (sent.size === 0) return;
    cancelStalled ??= time.after(heardAt + STALLED_MS - time.now(), () => {
      cancelStalled = undefined;
      if (time.now() < heardAt + STALLED_MS) watch();
      else stalled();
    });
  };

  const unwatch = (): void => {
    cancelStalled?.();
    cancelStalled = undefined;
  };

  const fail = (message: Outgoing, error: Error): void => {
    dropped();
    refused(message, error);
  };

  const acknowledged = (entry: Entry, error?: Error | null): void => {
    if (!sent.delete(entry)) return;
    const { message } = entry;
    bytes -= entry.bytes;
    heardAt = time.now();
    if (error != null) fail(message, error);
    message.settled?.();
    sendSoon();
  };

  const sendWaiting = (): void => {
    if (sent.size === 0) heardAt = time.now();
    for (const [key, entry] of waiting) {
      if (sent.size >= window) break;
      waiting.delete(key);
      sent.add(entry);
      if (entry.bytes > largest) acknowledged(entry, new Error(`a packet may have ${largest} bytes at most`));
      else send(entry.message, (error) => acknowledged(entry, error));
    }
    watch();
  };

  const writing = paced(time, sendWaiting);

  const sendSoon = (): void => {
    if (waiting.size > 0) {
      if (sent.size < window) writing.soon();
    } else if (sent.size === 0) {
      unwatch();
      emptied();
    }
  };

  const hasRoom = (entry: Entry): boolean => {
    const share = entry.message.isAnswer ? 0.5 : 1;
    return waiting.size < MOST_WAITING * share && bytes + entry.bytes <= MOST_BYTES * share;
  };

  return {
    put: (message) => {
      const entry = { message, bytes: bytesOf(message) };
      const { topic, retain, replaces = retain } = message;
      if (!replaces && !hasRoom(entry)) {
        dropped();
        return;
      }
      const key = replaces ? topic : (last += 1);
      bytes += entry.bytes - (waiting.get(key)?.bytes ?? 0);
      waiting.set(key, entry);
      sendSoon();
    },
    onceEmpty: (task) => {
      emptied = task;
      if (waiting.size + sent.size === 0) task();
    },
    end: () => {
      unwatch();
      writing.cancel();
      for (const { message } of [...sent, ...waiting.values()]) if (!message.retain) dropped();
      sent.clear();
      waiting.clear();
      bytes = 0;
      emptied();
    },
  };
};
