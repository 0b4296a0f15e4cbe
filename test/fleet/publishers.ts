/** Publishers on a broker, each with events as large as a die's. */
import { connectAsync, type MqttClient } from 'mqtt';
import { subscribe } from './broker.js';
import { quantileOf, toTenth } from '../support/statistics.js';

/** Publishers that connect at the same time. */
const AT_ONCE = 50;

const PADDING = 'x'.repeat(120);

export const measurePublishers = async (broker: string, publishers: number, messages: number) => {
  const expected = publishers * messages;
  const delays: number[] = [];
  let received = (): void => undefined;
  const all = new Promise<void>((resolve) => (received = resolve));
  const consumer = await subscribe(broker, ['load/+/events'], (_topic, payload) => {
    delays.push(performance.now() - (JSON.parse(payload.toString()) as { readonly at: number }).at);
    if (delays.length === expected) received();
  });
  const clients: MqttClient[] = [];
  while (clients.length < publishers) {
    const some = Array.from({ length: Math.min(AT_ONCE, publishers - clients.length) }, () =>
      connectAsync(broker, { protocolVersion: 5 }),
    );
    clients.push(...(await Promise.all(some)));
  }
  const began = performance.now();
  const publishAll = async (client: MqttClient, index: number): Promise<void> => {
    for (let message = 0; message < messages; message++) {
      const payload = JSON.stringify({ at: performance.now(), padding: PADDING });
      await client.publishAsync(`load/${index}/events`, payload, { qos: 1 });
    }
  };
  await Promise.all([...clients.map(publishAll), all]);
  const seconds = (performance.now() - began) / 1000;
  await Promise.all([consumer, ...clients].map((client) => client.endAsync()));
  return {
    publishers,
    messages: expected,
    messages_per_second: Math.round(expected / seconds),
    delay_p50_ms: toTenth(quantileOf(delays, 0.5)),
    delay_p99_ms: toTenth(quantileOf(delays, 0.99)),
  };
};
