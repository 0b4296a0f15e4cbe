/** The frames, tasks and memory of a page, from the records of the browser. */
import type { CDPSession } from 'playwright-core';
import { quantileOf, toTenth } from '../support/statistics.js';

/** The used fields of an event in a trace of Chromium. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ['toplevel', 'disabled-by-default-devtools.timeline.frame', 'devtools.timeline'];

/** The frames, the times between them, and the tasks of the page's main thread while `during` runs. */
export const framesOf = async (session: CDPSession, during: () => Promise<void>) => {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, excludedCategories: ['*'] },
  });
  await during();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  const drawn = events.filter(({ name }) => name === 'DrawFrame').map(({ ts }) => ts);
  const gaps = drawn
    .sort((a, b) => a - b)
    .slice(1)
    .map((ts, index) => (ts - (drawn[index] ?? ts)) / 1000);
  const main = events.find(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const tasks = events
    .filter(
      ({ name, ph, pid, tid }) =>
        name.endsWith('RunTask') && ph === 'X' && pid === main?.pid && tid === main.tid,
    )
    .map(({ dur = 0 }) => dur / 1000);
  return {
    frames: drawn.length,
    median_ms: toTenth(quantileOf(gaps, 0.5)),
    p95_ms: toTenth(quantileOf(gaps, 0.95)),
    longest_task_ms: toTenth(Math.max(0, ...tasks)),
    tasks_over_50_ms: tasks.filter((duration) => duration > 50).length,
  };
};

/** The memory of the page after a garbage collection: bytes of the heap, and nodes of the document. */
export const keptBy = async (session: CDPSession) => {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize: heap } = await session.send('Runtime.getHeapUsage');
  return { heap, nodes: (await session.send('Memory.getDOMCounters')).nodes };
};
