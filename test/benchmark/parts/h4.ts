import { startChild } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import { newFolder } from '../../support/folders.js';

const WORK = [
  { what: 'roundTrip', called: 'round trips', count: 10_000, each: 1 },
  { what: 'notifications', called: 'notifications', count: 1_000, each: 50 },
];

type Args = readonly [hci: string, echo: string, address: string];

interface Air {
  readonly tcp: Args;
  readonly unix: Args;
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const air = await startChild<Air>('h4-devices', [newFolder()]);
  try {
    for (const [kind, called] of [
      ['tcp', 'TCP'],
      ['unix', 'a Unix socket'],
    ] as const) {
      const host = await startChild('h4-host', air.ready[kind]);
      try {
        for (const work of WORK) {
          const { what, each } = work;
          const figure = `${work.called} over ${called}`;
          const times = scaled(scale, work.count);
          const measured = async (floor: boolean): Promise<Record<string, number>> => {
            const begun = performance.now();
            await host.ask({ what, times, floor });
            return { [figure]: (times * each) / ((performance.now() - begun) / 1000) };
          };
          for (const floor of [false, true]) await measured(floor);
          yield {
            figures: { [figure]: { unit: `${work.called}/s`, goal: { atLeast: 0.5 } } },
            ours: () => measured(false),
            floor: () => measured(true),
          };
        }
      } finally {
        await host.end();
      }
    }
  } finally {
    await air.end();
  }
}

export const h4: Part = {
  name: 'h4',
  summary: 'a host and a device in two processes, against bytes that are answered over the same socket',
  matches,
};
