import type { Notification } from './protocol/index.js';
import type { Burst } from './state.js';

export interface BurstCollector {
  /** Takes a notification that belongs to the burst; false if it is news. */
  readonly take: (notification: Notification) => boolean;
  readonly complete: boolean;
  readonly burst: Burst;
}

/**
 * Sorts what a die says after it was initialised: the first of each kind is its state, anything more is news. Once
 * a roll has started, a rest is news too. The colour is expected only if it was asked for.
 */
export const collectBurst = (colourAsked: boolean): BurstCollector => {
  let burst: Burst = { battery: null, colour: null, charging: null, rest: null };
  let rolled = false;
  return {
    take: (notification) => {
      switch (notification._tag) {
        case 'RollStart':
          rolled = true;
          return false;
        case 'Stable':
        case 'FakeStable':
        case 'TiltStable':
        case 'MoveStable':
          if (rolled || burst.rest !== null) return false;
          burst = { ...burst, rest: notification };
          return true;
        case 'Battery':
          if (burst.battery !== null) return false;
          burst = { ...burst, battery: notification.level };
          return true;
        case 'Charging':
          if (burst.charging !== null) return false;
          burst = { ...burst, charging: notification.on };
          return true;
        case 'Colour':
          if (burst.colour !== null) return false;
          burst = { ...burst, colour: notification.colour };
          return true;
        case 'Tap':
        case 'DoubleTap':
        case 'Calibration':
          return false;
      }
    },
    get complete() {
      return (
        (rolled || burst.rest !== null) &&
        burst.battery !== null &&
        burst.charging !== null &&
        (!colourAsked || burst.colour !== null)
      );
    },
    get burst() {
      return burst;
    },
  };
};
