import { startChild } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';

const FEWEST = 10;

interface Size {
  readonly ms: number;
  readonly mb: number;
}

/** The allowed cost of each of 1,000. */
const ALLOWED = { ms: 2.5, mb: 0.15 };

const sizeOf = async (dice: number): Promise<Size> => {
  const child = await startChild<Size>('world-size', [String(dice)], ['--expose-gc']);
  await child.end();
  return child.ready;
};

function* matches(scale: Scale): Generator<Match> {
  const scaledSize = (dice: number): Promise<Size> => sizeOf(Math.max(FEWEST, scaled(scale, dice)));
  for (const { dice, floor, against, goal } of [
    { dice: 100, floor: () => sizeOf(FEWEST), against: 'each of 10', goal: undefined },
    { dice: 1_000, floor: () => sizeOf(FEWEST), against: 'each of 10', goal: { atMost: 0.8 } },
    { dice: 1_000, floor: () => Promise.resolve(ALLOWED), against: 'what it may be', goal: { atMost: 1 } },
  ]) {
    const time = `time of the processor for each of ${dice}, against ${against}`;
    const memory = `memory for each of ${dice}, against ${against}`;
    const values = ({ ms, mb }: Size): Record<string, number> => ({ [time]: ms, [memory]: mb });
    yield {
      figures: { [time]: { unit: 'ms', goal }, [memory]: { unit: 'MB', goal } },
      ours: async () => values(await scaledSize(dice)),
      floor: async () => values(await floor()),
    };
  }
}

export const world: Part = {
  name: 'world',
  summary: 'dice up and connected by a host: each of many, against each of 10 and against what it may be',
  matches,
};
