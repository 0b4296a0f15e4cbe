/** A client of a broker, which receives the same events as the clients of WebSockets. */
import { connectAsync, type MqttClient } from 'mqtt';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { numberOf } from './verdict.js';

/** How much later than on a WebSocket an event may arrive. */
const BEHIND_MS = 30_000;

export class Consumer extends Arrivals {
  /** How often each event of the dice has arrived, by its number. */
  private counts = new Map<number, number>();

  private constructor(private readonly client: MqttClient) {
    super();
    client.on('message', (_topic, payload) => {
      const seq = numberOf(payload.toString());
      this.counts.set(seq, (this.counts.get(seq) ?? 0) + 1);
      this.notify();
    });
  }

  static async open(url: string): Promise<Consumer> {
    const client = await connectAsync(url);
    const consumer = new Consumer(client);
    await client.subscribeAsync('airbench/dice/servers/+/devices/+/events', { qos: 1 });
    return consumer;
  }

  /** Differences from the events of a WebSocket. Drops all events. */
  async differences(texts: readonly string[]): Promise<readonly string[]> {
    const due = texts.map(numberOf);
    const missing = (): readonly number[] => due.filter((seq) => !this.counts.has(seq));
    const found: string[] = [];
    await this.until(() => missing().length === 0 || undefined, 'events', BEHIND_MS).catch(() =>
      found.push(`${missing().length} of ${due.length} events did not arrive over MQTT`),
    );
    const twice = [...this.counts.values()].filter((count) => count > 1);
    if (twice.length > 0) found.push(`${twice.length} events arrived twice over MQTT`);
    if (this.counts.size > due.length)
      found.push(`${this.counts.size - due.length} events arrived over MQTT alone`);
    this.counts = new Map();
    return found;
  }

  close(): Promise<void> {
    return this.client.endAsync(true);
  }
}
