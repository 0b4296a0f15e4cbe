import { startChild, type Child } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import { rateOf, rates, type Measured } from '../rate.js';

const CLIENTS = [10, 100, 1_000];
/** A short run has fewer clients, at least this many. */
const FEWEST = 10;
/** Messages of a measurement, to all clients together. */
const MESSAGES = 200_000;
/** Events that are sent at once: far from what makes a reader too slow. */
const BURST = 50;
/** The message of the floor: as long as an event is. */
const TEXT =
  '{"session_id":"AAAAAAAAAAAAAAAAAAAAAA","kind":"Stable","face":3,"position":{"x":1,"y":63,"z":-2}}';

interface Served extends Measured {
  readonly port: number;
}

interface Heard {
  readonly last: string;
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  for (const count of CLIENTS) {
    const fewer = Math.max(FEWEST, scaled(scale, count));
    const servers = await Promise.all([
      startChild<Served>('dice-server'),
      startChild<Served>('bare-socket-server'),
    ]);
    const clients = await Promise.all(
      servers.map(({ ready: { port } }) =>
        startChild<Heard>('socket-clients', [String(port), String(fewer)]),
      ),
    );
    const [ours, floor] = servers;
    const [ourClients, floorClients] = clients;
    try {
      if (ourClients === undefined || floorClients === undefined) throw new Error('there are no clients');
      const bursts = scaled(scale, MESSAGES / fewer / BURST);
      for (const at_once of [false, true]) {
        const figure = `${at_once ? `${BURST} at once` : 'one by one'}, to ${count} clients`;
        /** Sends events until all clients have them. */
        const measured = (server: Child<Served>, clients: Child<Heard>): Promise<Record<string, number>> =>
          rateOf(figure, server, bursts * BURST, async () => {
            for (let burst = 0; burst < bursts; burst++) {
              const heard = clients.ask({ messages: BURST });
              server.tell({ events: BURST, text: TEXT, at_once });
              await heard;
            }
          });
        yield {
          figures: rates(figure, 'events/s', { atLeast: 0.4 }),
          ours: () => measured(ours, ourClients),
          floor: () => measured(floor, floorClients),
        };
      }
    } finally {
      for (const child of [...servers, ...clients]) await child.end();
    }
  }
}

export const fanOut: Part = {
  name: 'fan-out',
  summary: 'events of a die to many WebSockets, against one string that is ready, sent in a loop',
  matches,
};
