/** The work of a server per second, and per second of its processor. */
import { Agent, get, type IncomingMessage, type RequestOptions } from 'node:http';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Arrivals } from '../../../simulators/testing/internal/arrivals.js';
import { HttpClient } from '../../../simulators/testing/internal/http-client.js';
import { ClockClient } from '../../../simulators/testing/internal/clock-client.js';
import { startAedes } from '../../support/mqtt.js';
import { startChild, type Child } from '../child.js';
import { rateMatch, scaled, type Part } from '../part.js';

interface Served {
  readonly port: number;
  readonly session: string;
}

/** The event that the floors send. */
const EVENT = `{"kind":"Stable","face":3,"acceleration":{"x":1,"y":63,"z":-2},"session_id":"${'A'.repeat(22)}","address":"D1:CE:00:00:00:01","time":"2026-01-02T03:04:05.678Z","seq":1,"instance":"${'A'.repeat(22)}"}`;

/** Counts messages. */
class Counter extends Arrivals {
  private count = 0;

  add(): void {
    this.count += 1;
    this.notify();
  }

  /** Resolves when `count` messages have arrived since the last wait. */
  async next(count: number): Promise<void> {
    await this.until(() => this.count >= count || undefined, 'no further message');
    this.count -= count;
  }
}

const CLIENTS = [10, 100, 1_000];
/** The messages of one measurement to all clients together. */
const MESSAGES = 200_000;
/** The number of events sent at once: so few that the server does not close a slow reader. */
const BURST = 50;

const openReaders = async ({ ready: { port } }: Child<Served>, count: number): Promise<Counter> => {
  const arrivals = new Counter();
  for (let reader = 0; reader < count; reader++) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false });
    socket.on('message', () => arrivals.add());
    await once(socket, 'open');
  }
  return arrivals;
};

export const fanOut: Part = {
  name: 'fan-out',
  summary: 'events of a die to many WebSockets, against one string that is ready, sent in a loop',
  async *matches(scale) {
    for (const count of CLIENTS) {
      const readers = Math.max(10, scaled(scale, count));
      const bursts = scaled(scale, MESSAGES / readers / BURST);
      const ours = await startChild<Served>('server', ['dice', 'fake']);
      const floor = await startChild<Served>('floor', ['stream']);
      const [ourReaders, floorReaders] = [
        await openReaders(ours, readers),
        await openReaders(floor, readers),
      ];
      for (const at_once of [false, true]) {
        const send = async (server: Child<Served>, arrivals: Counter): Promise<void> => {
          for (let burst = 0; burst < bursts; burst++) {
            server.tell({ events: BURST, text: EVENT, at_once });
            await arrivals.next(BURST * readers);
          }
        };
        yield rateMatch(
          {
            figure: `${at_once ? `${BURST} at once` : 'one by one'}, to ${count} clients`,
            ...{ unit: 'events/s', goal: { atLeast: 0.4 }, count: bursts * BURST },
          },
          { child: ours, work: () => send(ours, ourReaders) },
          { child: floor, work: () => send(floor, floorReaders) },
        );
      }
    }
  },
};

const EVENTS = 20_000;
/** The largest number of events under way. */
const ON_THE_WAY = 1_000;

export const mqtt: Part = {
  name: 'mqtt',
  summary: 'events of a die on a broker, against MQTT.js with strings that are ready',
  async *matches(scale) {
    const broker = await startAedes();
    const arrivals = new Counter();
    broker.aedes.on('publish', ({ topic }) => topic.endsWith('/events') && arrivals.add());
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const ours = await startChild<Served>('server', ['dice', 'fake', url]);
    const floor = await startChild<Served>('floor', ['publisher', url]);
    const count = scaled(scale, EVENTS);
    const publish = async (publisher: Child<Served>): Promise<void> => {
      for (let left = count; left > 0; left -= ON_THE_WAY) {
        const events = Math.min(left, ON_THE_WAY);
        publisher.tell({ events, text: EVENT });
        await arrivals.next(events);
      }
    };
    await publish(ours);
    await publish(floor);
    yield rateMatch(
      { figure: 'events published', unit: 'events/s', goal: { atLeast: 0.45 }, count },
      { child: ours, work: () => publish(ours) },
      { child: floor, work: () => publish(floor) },
    );
    await broker.close();
  },
};

const CONNECTIONS = 50;
const REQUESTS = 20_000;

/** Sends one request, whose answer must be 200. */
const ask = async (options: RequestOptions): Promise<void> => {
  const [response] = (await once(get(options), 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200)
    throw new Error(`${options.path} was answered with ${response.statusCode}`);
};

/** Sends requests over connections that stay open, one after another on each connection. */
const askAll = async ({ ready: { port } }: Child<Served>, path: string, count: number): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = count;
  const askInTurn = async (): Promise<void> => {
    while (left-- > 0) await ask({ host: '127.0.0.1', port, path, agent });
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, askInTurn));
  } finally {
    agent.destroy();
  }
};

export const rest: Part = {
  name: 'rest',
  summary: `requests over ${CONNECTIONS} connections, against Express with the same guards, which answers the same JSON`,
  async *matches(scale) {
    const count = Math.max(CONNECTIONS, scaled(scale, REQUESTS));
    const ours = await startChild<Served>('server', ['dice', 'fake']);
    const { port, session } = ours.ready;
    const paths = [`/api/status/${session}`, '/api/sessions'];
    const client = new HttpClient(`http://127.0.0.1:${port}`);
    const answers = await Promise.all(paths.map(async (path) => [path, (await client.get(path)).json]));
    const floor = await startChild<Served>('floor', ['rest', JSON.stringify(Object.fromEntries(answers))]);
    for (const server of [ours, floor]) for (const path of paths) await askAll(server, path, count);
    for (const path of paths) {
      const figure = `GET ${path.split('/').slice(0, 3).join('/')}`;
      yield rateMatch(
        { figure, unit: 'requests/s', goal: { atLeast: 0.8 }, count },
        { child: ours, work: () => askAll(ours, path, count) },
        { child: floor, work: () => askAll(floor, path, count) },
      );
    }
  },
};

const CLOCKS = 10;
const COMMANDS = 4_000;

/** Sends `count` commands in all: to the clocks at the same time, to each clock one after another. */
const command = async (client: ClockClient, clocks: readonly string[], count: number): Promise<void> => {
  const each = Math.ceil(count / clocks.length);
  await Promise.all(
    clocks.map(async (address) => {
      for (let sent = 0; sent < each; sent++)
        await client.succeed({ type: 'set_brightness', address, value: 10 * (1 + (sent % 10)) });
    }),
  );
};

export const commands: Part = {
  name: 'command',
  summary: 'commands to clocks on one WebSocket, against a WebSocket that writes them on noble',
  async *matches(scale) {
    const count = scaled(scale, COMMANDS);
    const air = await startChild<{ hciPort: number; addresses: readonly string[] }>('air', [0, 2 * CLOCKS]);
    const { hciPort, addresses } = air.ready;
    const [ourClocks, others] = [addresses.slice(0, CLOCKS), addresses.slice(CLOCKS)];
    const ours = await startChild<Served>('server', ['clock', `hci:${hciPort}`]);
    const floor = await startChild<Served>('floor', ['clock', hciPort, ...others]);
    const ourClient = await ClockClient.open(`ws://127.0.0.1:${ours.ready.port}/ws`);
    const floorClient = await ClockClient.open(`ws://127.0.0.1:${floor.ready.port}/ws`);
    for (const address of ourClocks) await ourClient.succeed({ type: 'connect', address });
    await command(ourClient, ourClocks, count);
    await command(floorClient, others, count);
    for (const clocks of [1, CLOCKS])
      yield rateMatch(
        { figure: `commands to ${clocks} clocks`, unit: 'commands/s', goal: { atLeast: 0.3 }, count },
        { child: ours, work: () => command(ourClient, ourClocks.slice(0, clocks), count) },
        { child: floor, work: () => command(floorClient, others.slice(0, clocks), count) },
      );
  },
};
