/** The resources of the programs of a long run, sampled when nothing is connected. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { figuresOf } from '../support/figures.js';
import { growthOf, isGrowing, type Sample } from './growth.js';
import type { Rig } from './rig.js';

const MIB = 1024 * 1024;

/** The allowed growth for each hour, beyond the error; the events kept for clients that come back are full by then. */
const ALLOWED: Readonly<Record<string, number>> = {
  'heap, MiB': 3,
  'memory, MiB': 20,
  descriptors: 3,
  timers: 3,
};

/** The least of so many looks: between two runs of the collector a heap only grows. */
const LOOKS = 10;
const PAUSE_MS = 200;

/** Samples before this part of the time are of programs that still fill what they keep. */
const WARM = 0.25;
/** Of fewer samples, one a minute, the slope is shown and not judged: that of a heap is too uncertain. */
const ENOUGH = 30;

const ofServer = async (url: string): Promise<Readonly<Record<string, number>>> => {
  const figures = await figuresOf(Number(new URL(url).port));
  return {
    'heap, MiB': (figures['nodejs_heap_size_used_bytes'] ?? NaN) / MIB,
    'memory, MiB': (figures['process_resident_memory_bytes'] ?? NaN) / MIB,
    descriptors: figures['process_open_fds'] ?? NaN,
    timers: figures['nodejs_active_resources{type="Timeout"}'] ?? 0,
  };
};

/** The radio and the control API have no metrics: what the system says of their process. */
const ofProcess = (pid: number): Readonly<Record<string, number>> => {
  const [, kib = 'NaN'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { 'memory, MiB': Number(kib) / 1024 };
};

const ofPage = async (page: Page): Promise<Readonly<Record<string, number>>> => {
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
  /** By program and figure. */
  private readonly samples = new Map<string, { readonly figure: string; readonly of: Sample[] }>();

  constructor(private readonly pages: ReadonlyMap<string, Page>) {}

  async sample({ urls, program }: Rig, at: number): Promise<void> {
    const least = new Map<string, { readonly figure: string; value: number }>();
    const look = (name: string, figures: Readonly<Record<string, number>>): void => {
      for (const [figure, value] of Object.entries(figures)) {
        const key = `${name}: ${figure}`;
        const before = least.get(key)?.value ?? Infinity;
        least.set(key, { figure, value: Math.min(before, value) });
      }
    };
    for (let n = 0; n < LOOKS; n++) {
      look('dice server', await ofServer(urls.dice));
      look('clock server', await ofServer(urls.clock));
      if (process.platform === 'linux' && program.process.pid !== undefined)
        look('radio', ofProcess(program.process.pid));
      await setTimeout(PAUSE_MS);
    }
    for (const [name, page] of this.pages) look(`page of ${name}`, await ofPage(page));
    for (const [key, { figure, value }] of least) {
      const series = this.samples.get(key) ?? { figure, of: [] };
      series.of.push({ at, value });
      this.samples.set(key, series);
    }
  }

  /** A table, and messages about resources that grow. */
  report(): { readonly lines: readonly string[]; readonly growing: readonly string[] } {
    const lines: string[] = [];
    const growing: string[] = [];
    for (const [key, { figure, of }] of this.samples) {
      const begin = (of.at(-1)?.at ?? 0) * WARM;
      const warm = of.filter(({ at }) => at >= begin);
      const growth = growthOf(warm);
      if (growth === undefined) {
        lines.push(`${key}: too few samples to tell`);
        continue;
      }
      const { perHour, error, first, last } = growth;
      const text = `${key}: ${first.toFixed(1)} to ${last.toFixed(1)}, ${perHour.toFixed(1)} ± ${error.toFixed(1)} an hour`;
      lines.push(text);
      const allowed = ALLOWED[figure];
      if (warm.length >= ENOUGH && allowed !== undefined && isGrowing(growth, allowed))
        growing.push(`it grows: ${text}, ${allowed} allowed`);
    }
    return { lines, growing };
  }
}
