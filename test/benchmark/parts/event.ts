import { startChild } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import type { Measured } from '../rate.js';
import { post } from '../../support/client.js';

const EVENTS = 2_000;

interface Ready extends Measured {
  readonly port: number;
}

interface Air {
  readonly hciPort: number;
  readonly addresses: readonly [string, string];
  readonly p50: number;
  readonly p99: number;
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const air = await startChild<Air>('rolling-die');
  const {
    hciPort,
    addresses: [die, other],
  } = air.ready;
  const [ours, floor] = await Promise.all([
    startChild<Ready>('radio-server', ['dice', String(hciPort)]),
    startChild<Ready>('bare-die-server', [String(hciPort), other]),
  ]);
  try {
    await post(ours.ready.port, '/api/connect', { address: die });
    const measured = async (port: number, address: string): Promise<Record<string, number>> => {
      const { p50, p99 } = await air.ask({ events: scaled(scale, EVENTS), port, address });
      return { 'p50 of notification to JSON': p50, 'p99 of notification to JSON': p99 };
    };
    await measured(ours.ready.port, die);
    await measured(floor.ready.port, other);
    yield {
      figures: {
        'p50 of notification to JSON': { unit: 'ms', goal: { atMost: 1.3 } },
        'p99 of notification to JSON': { unit: 'ms', goal: { atMost: 1.5 } },
      },
      ours: () => measured(ours.ready.port, die),
      floor: () => measured(floor.ready.port, other),
    };
  } finally {
    for (const child of [ours, floor, air]) await child.end();
  }
}

export const event: Part = {
  name: 'event',
  summary:
    'a notification of a die until a WebSocket client has it, against a handler on noble that sends it',
  matches,
};
