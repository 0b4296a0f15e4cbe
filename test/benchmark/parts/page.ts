import type { CDPSession, Page } from 'playwright-core';
import { texts } from '../../../src/page/dice/texts.js';
import { closeBrowsers, launchBrowser } from '../../support/browser.js';
import { startChild, type Child } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import type { Measured } from '../rate.js';

/** Of a die; the line of the table keeps 5,000. */
const ROLLS = 2_000;
/** Rolls on their way at most: far from what makes a reader too slow. */
const BURST = 200;
const EVENTS_OF_A_ROLL = 2;

/** The message of the floor: as long as the events are. */
const EVENT = {
  ...{ session_id: 'AAAAAAAAAAAAAAAAAAAAAA', address: 'D1:CE:00:00:00:01', dice_type: 'd6' },
  ...{ time: '2026-01-02T03:04:05.678Z', seq: 1, instance: 'AAAAAAAAAAAAAAAAAAAAAA' },
};
const ROLL = [
  { kind: 'RollStart', ...EVENT },
  { kind: 'Stable', face: 3, acceleration: { x: 1, y: 63, z: -2 }, ...EVENT },
].map((event) => JSON.stringify(event));

const RATE = 'rolls shown';
const BY_THREAD = "rolls shown, for each second of the page's thread";

interface Served extends Measured {
  readonly port: number;
}

/** A page, and how many rolls it shows. */
class Shown {
  private rolls = 0;

  private constructor(
    private readonly server: Child<Served>,
    private readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  static async by(server: Child<Served>, ready: string): Promise<Shown> {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.ready.port}/`);
    await page.locator(ready).first().waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    return new Shown(server, page, session);
  }

  /** Seconds in which the page's main thread had something to do. */
  private async busy(): Promise<number> {
    const { metrics } = await this.session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
  }

  async measure(rolls: number): Promise<Record<string, number>> {
    const before = await this.busy();
    const begun = performance.now();
    for (let left = rolls; left > 0; left -= BURST) {
      const burst = Math.min(left, BURST);
      this.rolls += burst;
      this.server.tell({ events: burst * EVENTS_OF_A_ROLL, text: ROLL });
      await this.page
        .getByText(new RegExp(`^${texts.rolled(this.rolls)}\\b`))
        .first()
        .waitFor();
    }
    const seconds = (performance.now() - begun) / 1000;
    return { [RATE]: rolls / seconds, [BY_THREAD]: rolls / ((await this.busy()) - before) };
  }
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const [ourServer, floorServer] = await Promise.all([
    startChild<Served>('dice-server'),
    startChild<Served>('bare-socket-server'),
  ]);
  try {
    const ours = await Shown.by(ourServer, '.card');
    const floor = await Shown.by(floorServer, '#count:not(:empty)');
    const rolls = scaled(scale, ROLLS);
    for (const shown of [ours, floor]) await shown.measure(rolls);
    const goal = { atLeast: 0.9 };
    yield {
      figures: { [RATE]: { unit: 'rolls/s', goal }, [BY_THREAD]: { unit: 'rolls/s', goal } },
      ours: () => ours.measure(rolls),
      floor: () => floor.measure(rolls),
    };
  } finally {
    await closeBrowsers();
    for (const server of [ourServer, floorServer]) await server.end();
  }
}

export const page: Part = {
  name: 'page',
  summary: 'rolls of a die in a browser, against a page of thirty lines that is sent strings that are ready',
  matches,
};
