import { startChild, type Child } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import { rateOf, rates, type Measured } from '../rate.js';

const EVENTS = 20_000;
/** Events that are on their way at most. */
const BURST = 1_000;
/** The message that the floor publishes: as long as an event is. */
const TEXT =
  '{"kind":"Stable","face":3,"acceleration":{"x":1,"y":63,"z":-2},"session_id":"AAAAAAAAAAAAAAAAAAAAAA","address":"D1:CE:00:00:00:01","time":"2026-01-02T03:04:05.678Z","seq":1,"instance":"AAAAAAAAAAAAAAAAAAAAAA"}';

interface Broker {
  readonly url: string;
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const brokers = await Promise.all([startChild<Broker>('broker'), startChild<Broker>('broker')]);
  const [ourBroker, floorBroker] = brokers;
  const publishers = await Promise.all([
    startChild<Measured>('dice-server', [ourBroker.ready.url]),
    startChild<Measured>('bare-publisher', [floorBroker.ready.url]),
  ]);
  const [ours, floor] = publishers;
  try {
    const figure = 'events published';
    const events = scaled(scale, EVENTS);
    const measured = (publisher: Child<Measured>, broker: Child<Broker>): Promise<Record<string, number>> =>
      rateOf(figure, publisher, events, async () => {
        for (let left = events; left > 0; left -= BURST) {
          const burst = Math.min(left, BURST);
          const published = broker.ask({ messages: burst });
          publisher.tell({ events: burst, text: TEXT });
          await published;
        }
      });
    await measured(ours, ourBroker);
    await measured(floor, floorBroker);
    yield {
      figures: rates(figure, 'events/s', { atLeast: 0.45 }),
      ours: () => measured(ours, ourBroker),
      floor: () => measured(floor, floorBroker),
    };
  } finally {
    for (const child of [...publishers, ...brokers]) await child.end();
  }
}

export const mqtt: Part = {
  name: 'mqtt',
  summary: 'events of a die on a broker, against MQTT.js with strings that are ready',
  matches,
};
