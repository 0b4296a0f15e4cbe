/** The resources of the programs of a long run, sampled while nothing is connected. */
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { figuresOf } from '../support/figures.js';
import { growthOf, isGrowing, type Sample } from './growth.js';
import type { Tally } from './tally.js';
import type { World } from '../../simulators/testing/index.js';

const MIB = 1024 * 1024;

/** The allowed growth per hour, beyond the error. The stores of events for clients that come back are full by then. */
const ALLOWED: Readonly<Record<string, number>> = {
  'heap, MiB': 3,
  'memory, MiB': 20,
  descriptors: 3,
  timers: 3,
};

/** A sample is the least of this number of readings, since a heap grows until a garbage collection. */
const READINGS = 10;
const PAUSE_MS = 200;

/** The uncounted first part of a run, in which programs fill their caches. */
const WARM = 0.25;
/** With fewer samples (one per minute) the slope is shown but not judged, since the slope of a heap is too uncertain. */
const ENOUGH = 30;

const serverFigures = async (url: string): Promise<Readonly<Record<string, number>>> => {
  const figures = await figuresOf(Number(new URL(url).port));
  return {
    'heap, MiB': (figures['nodejs_heap_size_used_bytes'] ?? NaN) / MIB,
    'memory, MiB': (figures['process_resident_memory_bytes'] ?? NaN) / MIB,
    descriptors: figures['process_open_fds'] ?? NaN,
    timers: figures['nodejs_active_resources{type="Timeout"}'] ?? 0,
  };
};

/** The pages of both servers and of the simulator, in one browser. */
export const openPages = async (
  { dice, clock, control }: World,
  tally: Tally,
): Promise<ReadonlyMap<string, Page>> => {
  const browser = await launchBrowser();
  const pages = new Map<string, Page>();
  for (const [name, { url }] of Object.entries({ dice, clocks: clock, 'the simulator': control })) {
    const page = await browser.newPage();
    page.on('pageerror', (error) => tally.problem(`the page of ${name}: ${String(error)}`));
    page.on('crash', () => tally.problem(`the page of ${name} crashed`));
    await page.goto(url);
    pages.set(name, page);
  }
  return pages;
};

const pageFigures = async (page: Page): Promise<Readonly<Record<string, number>>> => {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return { 'heap, MiB': usedSize / MIB };
  } finally {
    await session.detach();
  }
};

export class Resources {
  /** The samples by program and figure, such as `radio: heap, MiB`. */
  private readonly samples = new Map<string, Sample[]>();

  constructor(private readonly pages: ReadonlyMap<string, Page>) {}

  async sample({ dice, clock, control }: World, at: number): Promise<void> {
    const least = new Map<string, number>();
    const record = (name: string, figures: Readonly<Record<string, number>>): void => {
      for (const [figure, value] of Object.entries(figures)) {
        const key = `${name}: ${figure}`;
        least.set(key, Math.min(least.get(key) ?? Infinity, value));
      }
    };
    for (let n = 0; n < READINGS; n++) {
      record('dice server', await serverFigures(dice.url));
      record('clock server', await serverFigures(clock.url));
      record('radio', await serverFigures(control.url));
      await setTimeout(PAUSE_MS);
    }
    for (const [name, page] of this.pages) record(`page of ${name}`, await pageFigures(page));
    for (const [key, value] of least)
      this.samples.set(key, [...(this.samples.get(key) ?? []), { at, value }]);
  }

  /** A table, and messages about resources that grow. */
  report(): { readonly lines: readonly string[]; readonly growing: readonly string[] } {
    const lines: string[] = [];
    const growing: string[] = [];
    for (const [key, samples] of this.samples) {
      const begin = (samples.at(-1)?.at ?? 0) * WARM;
      const warm = samples.filter(({ at }) => at >= begin);
      const growth = growthOf(warm);
      if (growth === undefined) {
        lines.push(`${key}: too few samples`);
        continue;
      }
      const { perHour, error, first, last } = growth;
      const text = `${key}: ${first.toFixed(1)} to ${last.toFixed(1)}, ${perHour.toFixed(1)} ± ${error.toFixed(1)} an hour`;
      lines.push(text);
      const allowed = ALLOWED[key.slice(key.indexOf(': ') + 2)];
      if (warm.length >= ENOUGH && allowed !== undefined && isGrowing(growth, allowed))
        growing.push(`growth: ${text}, ${allowed} allowed`);
    }
    return { lines, growing };
  }
}
