import { launchBrowser } from '../../support/browser.js';
import { startChild } from '../child.js';
import { scaled, type Part } from '../part.js';

/** The rolls of one measurement; the table of the page keeps 5,000. */
const ROLLS = 2_000;
/** The largest number of rolls under way: so few that the server does not close a slow reader. */
const BURST = 200;

/** The messages of the floor, as long as the events of a server. */
const EVENT = {
  ...{ session_id: 'AAAAAAAAAAAAAAAAAAAAAA', address: 'D1:CE:00:00:00:01', dice_type: 'd6' },
  ...{ time: '2026-01-02T03:04:05.678Z', seq: 1, instance: 'AAAAAAAAAAAAAAAAAAAAAA' },
};
const eventsTo = (face: number): readonly string[] =>
  [
    { kind: 'RollStart', ...EVENT },
    { kind: 'Stable', face, acceleration: { x: 1, y: 63, z: -2 }, ...EVENT },
  ].map((event) => JSON.stringify(event));
const ROLL = eventsTo(3);

/** The faces of the last rolls of bursts, in turns: the newest roll on a page tells that it shows a burst. */
const LAST_FACES = [6, 1] as const;

const RATE = 'rolls shown';
const BY_THREAD = "rolls shown, for each second of the page's thread";

/** Opens the page of a server, with the element `ready`; returns a measurement of how fast the page shows rolls. */
const openShown = async (program: readonly string[], ready: string) => {
  const [name = '', ...args] = program;
  const server = await startChild<{ readonly port: number }>(name, args);
  const page = await (await launchBrowser()).newPage();
  await page.goto(`http://127.0.0.1:${server.ready.port}/`);
  await page.locator(ready).first().waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  /** Seconds in which the page's main thread was busy. */
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? NaN;
  };
  let bursts = 0;
  return async (rolls: number): Promise<Record<string, number>> => {
    const before = await busy();
    const begun = performance.now();
    for (let left = rolls; left > 0; left -= BURST) {
      const burst = Math.min(left, BURST);
      const face = LAST_FACES[bursts++ % LAST_FACES.length] ?? NaN;
      const text = [...Array.from({ length: burst - 1 }, () => ROLL).flat(), ...eventsTo(face)];
      server.tell({ events: text.length, text, face });
      await page
        .locator('ol > li:first-child', { hasText: new RegExp(`^${face}`) })
        .first()
        .waitFor();
    }
    const seconds = (performance.now() - begun) / 1000;
    return { [RATE]: rolls / seconds, [BY_THREAD]: rolls / ((await busy()) - before) };
  };
};

export const page: Part = {
  name: 'page',
  summary: 'rolls of a die in a browser, against a page of thirty lines that receives prepared strings',
  async *matches(scale) {
    const rolls = scaled(scale, ROLLS);
    const ours = await openShown(['server', 'dice', 'fake'], '.card');
    const floor = await openShown(['floor', 'stream'], '#face:not(:empty)');
    for (const show of [ours, floor]) await show(rolls);
    const goal = { atLeast: 0.9 };
    yield {
      figures: { [RATE]: { unit: 'rolls/s', goal }, [BY_THREAD]: { unit: 'rolls/s', goal } },
      ours: () => ours(rolls),
      floor: () => floor(rolls),
    };
  },
};
