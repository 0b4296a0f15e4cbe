/** A consumer on a broker, beside the clients of WebSockets. */
import { connectAsync, type MqttClient } from 'mqtt';
import type { Between } from './run.js';
import { numberOf } from './verdict.js';

/** How long an event may be behind that of a WebSocket. */
const BEHIND_MS = 30_000;

export class Consumer {
  /** How often each event of the dice came, by its number. */
  private counts = new Map<number, number>();
  private more = (): void => undefined;

  private constructor(private readonly client: MqttClient) {
    client.on('message', (_topic, payload) => {
      const seq = numberOf(payload.toString());
      this.counts.set(seq, (this.counts.get(seq) ?? 0) + 1);
      this.more();
    });
  }

  static async open(port: number): Promise<Consumer> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
    const consumer = new Consumer(client);
    await client.subscribeAsync('airbench/dice/devices/+/events', { qos: 1 });
    return consumer;
  }

  /** Compares what came with what the first WebSocket has heard since its window began. */
  async judge({ rig, tally }: Between): Promise<void> {
    const due = (rig.diceClients[0]?.texts ?? []).map(numberOf);
    const missing = (): readonly number[] => due.filter((seq) => !this.counts.has(seq));
    const deadline = performance.now() + BEHIND_MS;
    while (missing().length > 0 && performance.now() < deadline) {
      const late = setTimeout(() => this.more(), deadline - performance.now());
      await new Promise<void>((resolve) => (this.more = resolve));
      clearTimeout(late);
    }
    const twice = [...this.counts].filter(([, count]) => count > 1);
    if (missing().length > 0)
      tally.problem(`${missing().length} of ${due.length} events did not come over MQTT`);
    if (twice.length > 0) tally.problem(`${twice.length} events came twice over MQTT`);
    if (this.counts.size > due.length)
      tally.problem(`${this.counts.size - due.length} events came over MQTT alone`);
    this.counts = new Map();
  }

  close(): Promise<void> {
    return this.client.endAsync(true);
  }
}
