import * as E from 'fp-ts/lib/Either.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { DeviceList, NewsListener, SimulatedDevice } from './device-list.js';

const textOf = ({ address, kind }: SimulatedDevice, news: JsonRecord): string =>
  JSON.stringify({ address, kind, ...news });

/** Publishes the changes of devices to all listeners. */
export class News {
  private readonly listeners = new Set<NewsListener>();
  /** Changed, and not published yet. */
  private readonly pending = new Set<string>();

  constructor(private readonly devices: Pick<DeviceList, 'list' | 'find' | 'describe'>) {}

  listen(listener: NewsListener): () => void {
    for (const device of this.devices.list()) listener(textOf(device, this.modelOf(device)));
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed(address: string): void {
    if (this.listeners.size === 0 || this.pending.has(address)) return;
    this.pending.add(address);
    // All changes of one turn are published once.
    queueMicrotask(() => {
      this.pending.delete(address);
      this.publish(address, (device) => this.modelOf(device));
    });
  }

  happened(address: string, event: () => JsonRecord): void {
    this.publish(address, () => ({ event: event() }));
  }

  private modelOf(device: SimulatedDevice): JsonRecord {
    return { model: this.devices.describe(device) };
  }

  private publish(address: string, news: (device: SimulatedDevice) => JsonRecord): void {
    if (this.listeners.size === 0) return;
    const device = this.devices.find(address);
    if (E.isLeft(device)) return;
    const text = textOf(device.right, news(device.right));
    for (const listener of this.listeners) listener(text);
  }
}
