import type { TimeSource } from '../../src/async/time.js';
import type { HistoryOptions } from '../../src/store/history.js';

/** A clock whose date can always be trusted. */
export const trustedClock = (time: TimeSource): HistoryOptions['systemClock'] => ({
  isWrong: () => false,
  trusted: () => Promise.resolve(time.date().getTime()),
});
