import { startChild } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import type { Measured } from '../rate.js';
import { post } from '../../support/client.js';

const EVENTS = 2_000;
/** How long a packet takes in the network of a house, ms, with a poor Wi-Fi. */
const DELAY_MS = 30;

interface Place extends Measured {
  readonly port: number;
}

interface Air {
  readonly hciPort: number;
  readonly addresses: readonly [string, string];
  readonly p50: number;
  readonly p99: number;
}

interface Connected {
  readonly ms: number;
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const air = await startChild<Air>('rolling-die');
  const {
    hciPort,
    addresses: [die, other],
  } = air.ready;
  const [proxy, far, otherFar] = await Promise.all([
    startChild<Place>('proxy', [String(hciPort), '0']),
    startChild<Place>('proxy', [String(hciPort), String(DELAY_MS)]),
    startChild<Place>('proxy', [String(hciPort), String(DELAY_MS)]),
  ]);
  const [ours, floor] = await Promise.all([
    startChild<Place>('radio-server', ['dice', `proxy:${proxy.ready.port}`]),
    startChild<Place>('radio-server', ['dice', String(hciPort)]),
  ]);
  try {
    const client = await startChild<Connected>('proxy-client', [
      ...[String(far.ready.port), String(otherFar.ready.port)],
      die,
    ]);
    const connected = async (known: boolean): Promise<Record<string, number>> => ({
      'connecting over a proxy 30 ms away': (await client.ask({ known })).ms,
    });
    yield {
      figures: { 'connecting over a proxy 30 ms away': { unit: 'ms', goal: { atMost: 0.8 } } },
      ours: () => connected(true),
      floor: () => connected(false),
    };
    await client.end();
    await post(ours.ready.port, '/api/connect', { address: die });
    await post(floor.ready.port, '/api/connect', { address: other });
    const measured = async (port: number, address: string): Promise<Record<string, number>> => {
      const { p50, p99 } = await air.ask({ events: scaled(scale, EVENTS), port, address });
      return { 'p50 of notification to JSON': p50, 'p99 of notification to JSON': p99 };
    };
    await measured(ours.ready.port, die);
    await measured(floor.ready.port, other);
    yield {
      figures: {
        'p50 of notification to JSON': { unit: 'ms', goal: { atMost: 3 } },
        'p99 of notification to JSON': { unit: 'ms', goal: { atMost: 3 } },
      },
      ours: () => measured(ours.ready.port, die),
      floor: () => measured(floor.ready.port, other),
    };
  } finally {
    for (const child of [ours, floor, proxy, far, otherFar, air]) await child.end();
  }
}

export const proxy: Part = {
  name: 'proxy',
  summary:
    'a notification through a proxy against one through an adapter; connecting with services that are known against discovering them',
  matches,
};
