/** The burst of notifications after a die is initialised, which make no events (docs/decisions/004). */
import { isDeepStrictEqual } from 'node:util';
import type { Cancel } from '../../../async/time.js';
import { ReportBuffer, type Report } from '../../port/driver.js';

type BurstPart = 'battery' | 'charging' | 'colour' | 'rest';

/**
 * The phase of a link to a die. `Opening`: not initialised yet; `rolling`: a roll has started and not ended. `Burst`:
 * initialised, without the `missing` parts of the burst; `rest`: the last rest, until a roll starts. `Live`: the burst is over.
 */
export type Phase =
  | { readonly _tag: 'Opening'; readonly rolling: boolean }
  | { readonly _tag: 'Burst'; readonly missing: ReadonlySet<BurstPart>; readonly rest: Report | null }
  | { readonly _tag: 'Live' };

export const OPENING: Phase = { _tag: 'Opening', rolling: false };
const LIVE: Phase = { _tag: 'Live' };

/** The phase after a die is initialised in `phase`; the burst has its colour only on request. */
export const awaitingBurst = (phase: Phase, asksColour: boolean): Phase => ({
  _tag: 'Burst',
  missing: new Set<BurstPart>([
    ...(['battery', 'charging'] as const),
    ...(phase._tag === 'Opening' && phase.rolling ? [] : (['rest'] as const)),
    ...(asksColour ? (['colour'] as const) : []),
  ]),
  rest: null,
});

const without = (missing: ReadonlySet<BurstPart>, part: BurstPart, rest: Report | null): Phase => {
  const remaining = new Set([...missing].filter((other) => other !== part));
  return remaining.size === 0 ? LIVE : { _tag: 'Burst', missing: remaining, rest };
};

const partOf = (report: Report): BurstPart | null => {
  switch (report._tag) {
    case 'Stable':
    case 'FakeStable':
    case 'TiltStable':
    case 'MoveStable':
      return 'rest';
    case 'Battery':
      return 'battery';
    case 'Charging':
      return 'charging';
    case 'Colour':
      return 'colour';
    case 'RollStart':
    case 'Tap':
    case 'DoubleTap':
      return null;
  }
};

/**
 * The phase after a report, and whether the report makes an event: in the burst the first report of each kind does not, nor does
 * a repeated rest, as of a die whose roll ended just before its burst. A rest after the start of a roll makes an event.
 */
export const classify = (phase: Phase, report: Report): readonly [Phase, boolean] => {
  const part = partOf(report);
  const rollStarts = report._tag === 'RollStart';
  if (phase._tag === 'Opening')
    return [rollStarts || part === 'rest' ? { ...phase, rolling: rollStarts } : phase, true];
  if (phase._tag === 'Live') return [phase, true];
  const { missing, rest } = phase;
  if (rollStarts) return [without(missing, 'rest', null), true];
  if (isDeepStrictEqual(report, rest)) return [phase, false];
  const next = part === 'rest' ? report : rest;
  if (part === null || !missing.has(part)) return [{ ...phase, rest: next }, true];
  return [without(missing, part, next), false];
};

/** The reports of a die on a link; each makes an event or not. */
export class NotificationBuffer extends ReportBuffer {
  private phase: Phase = OPENING;
  private readonly watchers = new Set<() => void>();

  /** Expects the burst of a die that is being initialised. */
  initialise(asksColour: boolean): void {
    this.enter(awaitingBurst(this.phase, asksColour));
  }

  /** Takes a report. `isResponse`: it answers a request and makes no event, and its kind may still come in the burst. */
  receive(report: Report, isResponse: boolean): void {
    const [phase, makesEvent] = isResponse ? [this.phase, false] : classify(this.phase, report);
    this.enter(phase);
    this.add({ report, makesEvent });
  }

  /** Ends the burst even if parts are missing: every report makes an event from now on. */
  endBurst(): void {
    this.enter(LIVE);
  }

  /** Calls back once when the burst is over, or at once if it is over. */
  whenLive(watcher: () => void): Cancel {
    if (this.phase._tag === 'Live') watcher();
    else this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    if (phase._tag !== 'Live') return;
    const watchers = [...this.watchers];
    this.watchers.clear();
    for (const watcher of watchers) watcher();
  }
}
