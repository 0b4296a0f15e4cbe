/** A consumer on a broker, beside the clients of WebSockets. */
import { connectAsync, type MqttClient } from 'mqtt';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { numberOf } from './verdict.js';

/** How long an event may be behind that of a WebSocket. */
const BEHIND_MS = 30_000;

export class Consumer extends Arrivals {
  /** How often each event of the dice came, by its number. */
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
    await client.subscribeAsync('airbench/dice/devices/+/events', { qos: 1 });
    return consumer;
  }

  /** Differences from the events that a WebSocket received; forgets them. */
  async differences(texts: readonly string[]): Promise<readonly string[]> {
    const due = texts.map(numberOf);
    const missing = (): readonly number[] => due.filter((seq) => !this.counts.has(seq));
    const wrong: string[] = [];
    await this.until(() => missing().length === 0 || undefined, 'events', BEHIND_MS).catch(() =>
      wrong.push(`${missing().length} of ${due.length} events did not come over MQTT`),
    );
    const twice = [...this.counts.values()].filter((count) => count > 1);
    if (twice.length > 0) wrong.push(`${twice.length} events came twice over MQTT`);
    if (this.counts.size > due.length)
      wrong.push(`${this.counts.size - due.length} events came over MQTT alone`);
    this.counts = new Map();
    return wrong;
  }

  close(): Promise<void> {
    return this.client.endAsync(true);
  }
}
