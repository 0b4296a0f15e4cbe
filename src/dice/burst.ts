/** Which notifications of a die belong to the burst after initialising, and which are news (docs/decisions/004). */
import type { Notification } from './drivers/godice/protocol/index.js';

type BurstPart = 'battery' | 'charging' | 'colour' | 'rest';

/**
 * The phase of a link to a die. `Opening`: not initialised yet. `Burst`: initialised, and these parts of the burst are
 * missing. `Live`: the burst is over.
 */
export type Phase =
  | { readonly _tag: 'Opening' }
  | { readonly _tag: 'Burst'; readonly missing: ReadonlySet<BurstPart> }
  | { readonly _tag: 'Live' };

export const OPENING: Phase = { _tag: 'Opening' };
export const LIVE: Phase = { _tag: 'Live' };

/** The phase of a die that is being initialised; its colour comes only if it is asked for. */
export const awaitingBurst = (colourAsked: boolean): Phase => ({
  _tag: 'Burst',
  missing: new Set<BurstPart>(['battery', 'charging', 'rest', ...(colourAsked ? (['colour'] as const) : [])]),
});

const without = (missing: ReadonlySet<BurstPart>, part: BurstPart): Phase => {
  const left = new Set([...missing].filter((other) => other !== part));
  return left.size === 0 ? LIVE : { _tag: 'Burst', missing: left };
};

const partOf = (notification: Notification): BurstPart | null => {
  switch (notification._tag) {
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
    case 'Calibration':
      return null;
  }
};

/**
 * The phase after a notification, and whether it is news: in the burst the first of each kind is not. Once a roll
 * has started, a rest is news too.
 */
export const classify = (phase: Phase, notification: Notification): readonly [Phase, boolean] => {
  if (phase._tag !== 'Burst') return [phase, true];
  const { missing } = phase;
  if (notification._tag === 'RollStart') return [without(missing, 'rest'), true];
  const part = partOf(notification);
  return part === null || !missing.has(part) ? [phase, true] : [without(missing, part), false];
};
