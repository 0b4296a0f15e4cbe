/** Milliseconds from a notification of a die to its arrival at a WebSocket client. */
import { systemTime } from '../../../src/async/time.js';
import { openProxyRadio } from '../../../src/ble/esphome/index.js';
import type { Radio } from '../../../src/ble/ports.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from '../../../src/protocols/godice/index.js';
import { HttpClient } from '../../../simulators/testing/internal/http-client.js';
import { right } from '../../support/either.js';
import { startChild, type Child } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';

const EVENTS = 2_000;
/** How long a packet takes in a home network with poor Wi-Fi. */
const DELAY_MS = 30;
const P50 = 'p50 of notification to JSON';
const P99 = 'p99 of notification to JSON';
const CONNECTING = 'connecting over a proxy 30 ms away';

interface Air {
  readonly hciPort: number;
  readonly addresses: readonly [string, string];
}

interface Place {
  readonly port: number;
}

/** Each server has one die. */
async function* eventMatch(
  air: Child<Air>,
  [ours, floor]: readonly [Child<Place>, Child<Place>],
  [p50, p99]: readonly [number, number],
  scale: Scale,
): AsyncGenerator<Match> {
  const measure = async ({ ready: { port } }: Child<Place>, die: 0 | 1): Promise<Record<string, number>> => {
    const question = { events: scaled(scale, EVENTS), port, address: air.ready.addresses[die] };
    const took = await air.ask<{ p50: number; p99: number }>(question);
    return { [P50]: took.p50, [P99]: took.p99 };
  };
  await measure(ours, 0);
  await measure(floor, 1);
  yield {
    figures: { [P50]: { unit: 'ms', goal: { atMost: p50 } }, [P99]: { unit: 'ms', goal: { atMost: p99 } } },
    ours: () => measure(ours, 0),
    floor: () => measure(floor, 1),
  };
}

const connectDie = ({ ready: { port } }: Child<Place>, address: string) =>
  new HttpClient(`http://127.0.0.1:${port}`).post('/api/connect', { address });

export const event: Part = {
  name: 'event',
  summary:
    'a notification of a die until a WebSocket client has it, against a handler on noble that sends it',
  async *matches(scale) {
    const air = await startChild<Air>('air', [2, 0]);
    const { hciPort, addresses } = air.ready;
    const ours = await startChild<Place>('server', ['dice', `hci:${hciPort}`]);
    const floor = await startChild<Place>('floor', ['die', hciPort, addresses[1]]);
    await connectDie(ours, addresses[0]);
    yield* eventMatch(air, [ours, floor], [1.3, 1.5], scale);
  },
};

const openRadioOn = async ({ ready: { port } }: Child<Place>): Promise<Radio> =>
  right(
    await openProxyRadio({
      proxies: [{ host: '127.0.0.1', port, key: undefined }],
      ...{ limits: { connect: 10_000, discover: 10_000, gatt: 10_000 }, time: systemTime },
      ...{ inform: () => undefined, warn: (message: string) => console.error(message) },
    })(),
  );

const PROFILE = [{ service: NUS_SERVICE, characteristics: [NUS_WRITE, NUS_NOTIFY] }];

const connectOn = async (radio: Radio, address: string): Promise<Record<string, number>> => {
  await new Promise<void>((resolve) => {
    const stop = radio.listen((advertisement) => {
      if (advertisement.address !== address) return;
      stop();
      resolve();
    });
  });
  const begun = performance.now();
  const link = right(await radio.connect(address, PROFILE)());
  const took = performance.now() - begun;
  await link.disconnect();
  return { [CONNECTING]: took };
};

/** Each proxy serves one client: one client has cached services, the other discovers them each time. */
async function* connecting(hciPort: number, address: string): AsyncGenerator<Match> {
  const far = await startChild<Place>('proxy', [hciPort, DELAY_MS]);
  const other = await startChild<Place>('proxy', [hciPort, DELAY_MS]);
  const radio = await openRadioOn(far);
  await connectOn(radio, address);
  yield {
    figures: { [CONNECTING]: { unit: 'ms', goal: { atMost: 0.8 } } },
    ours: () => connectOn(radio, address),
    floor: async () => {
      const fresh = await openRadioOn(other);
      const took = await connectOn(fresh, address);
      await fresh.close();
      return took;
    },
  };
  await radio.close();
}

export const proxy: Part = {
  name: 'proxy',
  summary:
    'a notification through a proxy against one through an adapter; connecting with cached services against discovering them',
  async *matches(scale) {
    const air = await startChild<Air>('air', [2, 0]);
    const { hciPort, addresses } = air.ready;
    yield* connecting(hciPort, addresses[0]);
    const near = await startChild<Place>('proxy', [hciPort, 0]);
    const ours = await startChild<Place>('server', ['dice', `proxy:${near.ready.port}`]);
    const floor = await startChild<Place>('server', ['dice', `hci:${hciPort}`]);
    await connectDie(ours, addresses[0]);
    await connectDie(floor, addresses[1]);
    yield* eventMatch(air, [ours, floor], [3, 3], scale);
  },
};
