import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { jsonMessage, type Message } from '../../src/http/index.js';

/** Whom there is news of. */
export interface Described {
  readonly address: string;
  readonly kind: string;
  /** Everything there is to know of it. */
  readonly model: () => JsonRecord;
}

export const modelMessage = ({ address, kind, model }: Described): Message =>
  jsonMessage({ address, kind, model: model() });

/** Tells whoever listens what becomes of the devices. */
export class News {
  private readonly listeners = new Set<(message: Message) => void>();
  /** Changed, and not told yet. */
  private readonly untold = new Set<string>();

  /** `describe`: undefined if there is no such device. */
  constructor(private readonly describe: (address: string) => Described | undefined) {}

  /** Hears every change: `{"address","kind","model"}`, or `"event"` for what no state shows. Returns the way to stop. */
  listen(listener: (message: Message) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed(address: string): void {
    if (this.listeners.size === 0 || this.untold.has(address)) return;
    this.untold.add(address);
    // What changes together is told once.
    queueMicrotask(() => {
      this.untold.delete(address);
      const described = this.describe(address);
      if (described !== undefined) this.tell(modelMessage(described));
    });
  }

  happened(address: string, event: () => JsonRecord): void {
    if (this.listeners.size === 0) return;
    const described = this.describe(address);
    if (described !== undefined) this.tell(jsonMessage({ address, kind: described.kind, event: event() }));
  }

  private tell(message: Message): void {
    for (const listener of this.listeners) listener(message);
  }
}
