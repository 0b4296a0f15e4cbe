/** Messages on their way over one connection: in order, as many at once as the broker takes, within limits of number and size. */
import type { Cancel, TimeSource } from '../async/time.js';
import { paced } from './paced.js';

export interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  /** A retained message replaces the message that waits on its topic. */
  readonly retain: boolean;
  readonly correlation?: Buffer | undefined;
  /** Whether the message answers a client; answers use at most half of the room for messages. */
  readonly isAnswer: boolean;
  /** Called when the broker has taken or refused the message; never if it was lost, or replaced before it was sent. */
  readonly settled?: (() => void) | undefined;
}

export interface OutboxOptions {
  /** Messages that may be sent before the first of them is acknowledged. */
  readonly window: number;
  /** Bytes of the largest packet that the broker takes. */
  readonly largest: number;
  readonly send: (message: Outgoing, acknowledged: (error?: Error | null) => void) => void;
  /** Called for each message that may not have arrived, except retained messages, as they are published again. */
  readonly dropped: () => void;
  readonly refused: (message: Outgoing, error: Error) => void;
  /** Called when messages are on their way, and the broker has acknowledged nothing for `STALLED_MS`. */
  readonly stalled: () => void;
  readonly time: TimeSource;
}

const MOST_WAITING = 10_000;
/** Bytes of messages that may wait or be on their way. */
const MOST_BYTES = 16 * 1024 * 1024;
export const STALLED_MS = 30_000;

/** The bytes of a PUBLISH beside topic, payload and correlation data: MQTT 5.0, 3.3. */
const MOST_HEADER_BYTES = 20;

/** A message, with the bytes of its packet at most. */
interface Entry {
  readonly message: Outgoing;
  readonly bytes: number;
}

const bytesOf = ({ topic, payload, correlation }: Outgoing): number =>
  MOST_HEADER_BYTES + Buffer.byteLength(topic) + Buffer.byteLength(payload) + (correlation?.length ?? 0);

export class Outbox {
  /** Retained messages have their topic as a key, all other messages a number. */
  private readonly waiting = new Map<string | number, Entry>();
  private readonly sent = new Set<Entry>();
  /** All bytes in `waiting` and `sent`. */
  private bytes = 0;
  private lastNumber = 0;
  private emptied = (): void => undefined;
  /** The last time at which the broker acknowledged a message, or had no message to acknowledge. */
  private acknowledgedAt = 0;
  private cancelStalled: Cancel | undefined;
  private readonly writing;

  constructor(private readonly options: OutboxOptions) {
    this.writing = paced(options.time, () => this.sendWaiting());
  }

  /** Takes a message to send; drops one that is not retained if too many wait. */
  put(message: Outgoing): void {
    const entry = { message, bytes: bytesOf(message) };
    const { topic, retain } = message;
    if (!retain && !this.hasRoom(entry)) {
      this.options.dropped();
      return;
    }
    const key = retain ? topic : (this.lastNumber += 1);
    this.bytes += entry.bytes - (this.waiting.get(key)?.bytes ?? 0);
    this.waiting.set(key, entry);
    this.sendSoon();
  }

  /** Calls `task` once no message waits or is on its way. */
  onceEmpty(task: () => void): void {
    this.emptied = task;
    if (this.waiting.size + this.sent.size === 0) task();
  }

  /** Drops all messages at the end of the connection. */
  end(): void {
    this.unwatch();
    this.writing.cancel();
    for (const { message } of [...this.sent, ...this.waiting.values()])
      if (!message.retain) this.options.dropped();
    this.sent.clear();
    this.waiting.clear();
    this.bytes = 0;
    this.emptied();
  }

  private hasRoom({ message, bytes }: Entry): boolean {
    const share = message.isAnswer ? 0.5 : 1;
    return this.waiting.size < MOST_WAITING * share && this.bytes + bytes <= MOST_BYTES * share;
  }

  private sendSoon(): void {
    if (this.waiting.size > 0) {
      if (this.sent.size < this.options.window) this.writing.soon();
    } else if (this.sent.size === 0) {
      this.unwatch();
      this.emptied();
    }
  }

  private sendWaiting(): void {
    const { window, largest, send, time } = this.options;
    if (this.sent.size === 0) this.acknowledgedAt = time.now();
    for (const [key, entry] of this.waiting) {
      if (this.sent.size >= window) break;
      this.waiting.delete(key);
      this.sent.add(entry);
      if (entry.bytes > largest)
        this.acknowledged(entry, new Error(`a packet may have ${largest} bytes at most`));
      else send(entry.message, (error) => this.acknowledged(entry, error));
    }
    this.watch();
  }

  private acknowledged(entry: Entry, error?: Error | null): void {
    if (!this.sent.delete(entry)) return;
    const { dropped, refused, time } = this.options;
    this.bytes -= entry.bytes;
    this.acknowledgedAt = time.now();
    if (error != null) {
      dropped();
      refused(entry.message, error);
    }
    entry.message.settled?.();
    this.sendSoon();
  }

  /** Reports a stall if no acknowledgement comes in time. */
  private watch(): void {
    if (this.sent.size === 0) return;
    const { time, stalled } = this.options;
    this.cancelStalled ??= time.after(this.acknowledgedAt + STALLED_MS - time.now(), () => {
      this.cancelStalled = undefined;
      if (time.now() < this.acknowledgedAt + STALLED_MS) this.watch();
      else stalled();
    });
  }

  private unwatch(): void {
    this.cancelStalled?.();
    this.cancelStalled = undefined;
  }
}
