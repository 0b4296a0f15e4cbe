import { startChild, type Child } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import { rateOf, rates, type Measured } from '../rate.js';

/** A short run has fewer devices, at least this many. */
const FEWEST = 10;
const ROUND_TRIPS = 20_000;
const BURSTS = 2_000;
const BURST = 50;
const SIZES = [
  { devices: 10, hosts: 1, goal: undefined },
  { devices: 100, hosts: 1, goal: undefined },
  { devices: 1_000, hosts: 1, goal: undefined },
  { devices: 1_000, hosts: 50, goal: { atLeast: 0.8 } },
];
const WORK = [
  { what: 'roundTrip', called: 'round trips', count: ROUND_TRIPS, each: 1 },
  { what: 'notifications', called: 'notifications', count: BURSTS, each: BURST },
];

interface Said extends Measured {
  readonly ours: number;
  readonly all: number;
}

/** Warm, so that none is compared with one that has run for longer. */
const startLoad = async (devices: number, hosts: number, scale: Scale): Promise<Child<Said>> => {
  const load = await startChild<Said>('radio-load', [String(devices), String(hosts)]);
  for (const { what, count } of WORK) await load.ask({ what, times: scaled(scale, count) });
  return load;
};

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const one = await startLoad(1, 1, scale);
  try {
    for (const { what, called, count } of WORK) {
      const figure = `ours of the time of ${called}`;
      let profile: Promise<Said> | undefined;
      /** Both sides of a round are in one profile. */
      const profiled = (): Promise<Said> => {
        const taken = profile ?? one.ask({ what, times: scaled(scale, count), profile: true });
        profile = profile === undefined ? taken : undefined;
        return taken;
      };
      yield {
        figures: { [figure]: { unit: 'ms', goal: { atMost: 0.12 } } },
        ours: async () => ({ [figure]: (await profiled()).ours }),
        floor: async () => ({ [figure]: (await profiled()).all }),
      };
    }
    for (const { devices, hosts, goal } of SIZES) {
      const fewer = Math.max(FEWEST, scaled(scale, devices));
      const many = await startLoad(fewer, Math.min(hosts, fewer), scale);
      try {
        for (const { what, called, count, each } of WORK) {
          const figure = `${called}, ${devices} devices on ${hosts} hosts, against 1`;
          const times = Math.max(fewer, scaled(scale, count));
          const measured = (load: typeof one): Promise<Record<string, number>> =>
            rateOf(figure, load, times * each, () => load.ask({ what, times }));
          yield {
            figures: rates(figure, `${called}/s`, goal),
            ours: () => measured(many),
            floor: () => measured(one),
          };
        }
      } finally {
        await many.end();
      }
    }
  } finally {
    await one.end();
  }
}

export const radio: Part = {
  name: 'radio',
  summary: 'noble and bleno on our radio in one process: our share of the time; many devices, against one',
  matches,
};
