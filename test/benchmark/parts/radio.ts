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

interface Profile {
  readonly ours: number;
  readonly all: number;
}

/** Warm, so that none is compared with one that has run for longer. */
const startWarm = async <Answer>(
  scale: Scale,
  program: string,
  ...args: readonly number[]
): Promise<Child<Answer>> => {
  const load = await startChild<Answer>(program, args.map(String));
  for (const { what, count } of WORK) await load.ask({ what, times: scaled(scale, count) });
  return load;
};

/** Of noble and bleno as they are: what the servers and the virtual devices mend in them is no part of the radio. */
async function* shares(scale: Scale): AsyncGenerator<Match> {
  const pair = await startWarm<Profile>(scale, 'radio-share');
  try {
    for (const { what, called, count } of WORK) {
      const figure = `ours of the time of ${called}`;
      let profile: Promise<Profile> | undefined;
      /** Both sides of a round are in one profile. */
      const profiled = (): Promise<Profile> => {
        const taken = profile ?? pair.ask({ what, times: scaled(scale, count) });
        profile = profile === undefined ? taken : undefined;
        return taken;
      };
      yield {
        figures: { [figure]: { unit: 'ms', goal: { atMost: 0.12 } } },
        ours: async () => ({ [figure]: (await profiled()).ours }),
        floor: async () => ({ [figure]: (await profiled()).all }),
      };
    }
  } finally {
    await pair.end();
  }
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  yield* shares(scale);
  const one = await startWarm<Measured>(scale, 'radio-load', 1, 1);
  try {
    for (const { devices, hosts, goal } of SIZES) {
      const fewer = Math.max(FEWEST, scaled(scale, devices));
      const many = await startWarm<Measured>(scale, 'radio-load', fewer, Math.min(hosts, fewer));
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
