/** Which notifications of a die belong to the burst after initialising, and which make events (docs/decisions/004). */
import { isDeepStrictEqual } from 'node:util';
import type { Cancel } from '../../../async/time.js';
import { ReportBuffer, type Report } from '../../port/driver.js';

type BurstPart = 'battery' | 'charging' | 'colour' | 'rest';

/**
 * The phase of a link to a die. `Opening`: not initialised yet; `rolling`: a roll has started and not ended. `Burst`:
 * initialised, and these parts of the burst are missing; `rest` is the last one, until a roll starts. `Live`: the burst is over.
 */
export type Phase =
  | { readonly _tag: 'Opening'; readonly rolling: boolean }
  | { readonly _tag: 'Burst'; readonly missing: ReadonlySet<BurstPart>; readonly rest: Report | null }
  | { readonly _tag: 'Live' };

export const OPENING: Phase = { _tag: 'Opening', rolling: false };
const LIVE: Phase = { _tag: 'Live' };

/** The phase of a die that is initialised in `phase`; its colour comes only if it is asked for. */
export const awaitingBurst = (phase: Phase, colourAsked: boolean): Phase => ({
  _tag: 'Burst',
  missing: new Set<BurstPart>([
    ...(['battery', 'charging'] as const),
    ...(phase._tag === 'Opening' && phase.rolling ? [] : (['rest'] as const)),
    ...(colourAsked ? (['colour'] as const) : []),
  ]),
  rest: null,
});

const without = (missing: ReadonlySet<BurstPart>, part: BurstPart, rest: Report | null): Phase => {
  const left = new Set([...missing].filter((other) => other !== part));
  return left.size === 0 ? LIVE : { _tag: 'Burst', missing: left, rest };
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
 * The phase after a report, and whether it makes an event: in the burst the first of each kind does not, and neither does
 * the same rest again, of a die whose roll ended just before its burst. Once a roll has started, a rest does too.
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

/** The reports of one die on one link, each with whether it makes an event. */
export class NotificationBuffer extends ReportBuffer {
  private phase: Phase = OPENING;
  private readonly watchers = new Set<() => void>();

  /** The die is being initialised: from now on its burst is expected. */
  initialise(colourAsked: boolean): void {
    this.enter(awaitingBurst(this.phase, colourAsked));
  }

  /** `isResponse`: it answers a request. It makes no event then, and the same may still come in the burst. */
  receive(report: Report, isResponse: boolean): void {
    const [phase, makesEvent] = isResponse ? [this.phase, false] : classify(this.phase, report);
    this.enter(phase);
    this.add({ report, makesEvent });
  }

  /** The missing part of the burst is not expected any more: everything makes an event from now on. */
  endBurst(): void {
    this.enter(LIVE);
  }

  /** Calls back once when the burst is over, immediately if it is. */
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
