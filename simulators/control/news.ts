import type { JsonRecord } from 'fp-ts/lib/Json.js';

/** A device that there is news of. */
export interface Described {
  readonly address: string;
  readonly kind: string;
  /** Everything there is to know of it. */
  readonly model: () => JsonRecord;
}

export const modelNews = ({ address, kind, model }: Described): JsonRecord => ({
  address,
  kind,
  model: model(),
});

/** Publishes the changes of devices to all listeners. */
export class News {
  private readonly listeners = new Set<(change: JsonRecord) => void>();
  /** Changed, and not published yet. */
  private readonly pending = new Set<string>();

  /** `describe`: undefined if there is no such device. */
  constructor(private readonly describe: (address: string) => Described | undefined) {}

  /** Calls back at every change: `{"address","kind","model"}`, or `"event"` for what no state shows. Returns the way to stop. */
  listen(listener: (news: JsonRecord) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed(address: string): void {
    if (this.listeners.size === 0 || this.pending.has(address)) return;
    this.pending.add(address);
    // What changes together is published once.
    queueMicrotask(() => {
      this.pending.delete(address);
      const described = this.describe(address);
      if (described !== undefined) this.publish(modelNews(described));
    });
  }

  happened(address: string, event: () => JsonRecord): void {
    if (this.listeners.size === 0) return;
    const described = this.describe(address);
    if (described !== undefined) this.publish({ address, kind: described.kind, event: event() });
  }

  private publish(news: JsonRecord): void {
    for (const listener of this.listeners) listener(news);
  }
}
